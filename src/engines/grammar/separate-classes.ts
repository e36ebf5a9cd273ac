import type { Slices } from '../../shared/slices.js'
import { type Expression, type Grammar, mapped, rule, sequence } from './expression.js'
import { freeWord } from './free-word.js'
import { rewriteGbnf } from './gbnf/rewrite-gbnf.js'

const LAST_CHARACTER = 0x10ffff
/** Matches a class after a repetition, a group or a rule. */
const SUSPECT = /[?*+})\w-]\s*\[/

/**
 * Returns a grammar in GBNF that allows the same texts, with a rule for each class that follows a part of variable
 * length. A grammar that is too long or cannot be read is returned unchanged.
 *
 * xgrammar 0.2.7 and 0.2.8 mask wrongly where one token spans such a part and a class of the same sequence: after
 * `" "? [0-9]` they allow a blank with the first byte of another character, after `" "? [а-я]` also ` A`. They then
 * refuse the sampled token, which ends the call.
 */
export function* separateClasses(gbnf: string): Slices<string> {
  return SUSPECT.test(gbnf) ? yield* rewriteGbnf(gbnf, withSeparateClasses) : gbnf
}

function withSeparateClasses(grammar: Grammar): Grammar {
  const word = freeWord('class', grammar)
  const separate = new Map<string, readonly [name: string, Expression]>()
  const named = (one: Expression): Expression => {
    const key = JSON.stringify(one)
    const known = separate.get(key) ?? ([`${word}-${separate.size}`, one] as const)
    separate.set(key, known)
    return rule(known[0])
  }
  const all = [...grammar].map(
    ([name, expression]) => [name, mapped(expression, (one) => separated(one, named))] as const,
  )
  return new Map([...all, ...separate.values()])
}

function separated(expression: Expression, named: (one: Expression) => Expression): Expression {
  if (expression.kind !== 'sequence') return expression
  const of: Expression[] = []
  // A class after one that has its own rule now follows a rule, too.
  for (const part of expression.of) of.push(isOfAClass(part) && isVariable(of.at(-1)) ? named(part) : part)
  return sequence(of)
}

/** Whether a part is a class, or may be empty and repeats one. Classes of nearly all characters are masked correctly. */
function isOfAClass(part: Expression): boolean {
  const one = part.kind === 'repeat' && part.min === 0 ? part.of : part
  return one.kind === 'class' && !one.ranges.some(([, last]) => last === LAST_CHARACTER)
}

/** Whether a part of a sequence is neither one text nor one character. */
function isVariable(part: Expression | undefined): boolean {
  return part?.kind === 'repeat' || part?.kind === 'choice' || part?.kind === 'rule'
}
