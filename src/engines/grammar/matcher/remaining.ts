import { createWork, type Slices } from '../../../shared/slices.js'
import { choice, EMPTY, type Expression, type Grammar, repeat, rule, sequence, text } from '../expression.js'
import { writeGbnf } from '../gbnf/write-gbnf.js'
import { productive } from '../productive.js'
import type { MatcherState } from './matcher.js'
import type { Stack } from './stacks.js'

/** How many rules are copied between two pauses. */
const SLICE = 2_000

/** Returns the grammar of the remaining text, in GBNF, to continue a text that was interrupted. */
export function* remaining({ ways, grammar }: Pick<MatcherState, 'ways' | 'grammar'>): Slices<string> {
  const work = createWork(SLICE)
  const [start, rest] = ['again', 'rest'].map((word) => freePrefix(word, grammar)) as [string, string]
  const rules = new Map<string, Expression>()
  for (const [name, expression] of grammar) {
    if (--work.left <= 0) yield* work.pause()
    rules.set(name === 'root' ? start : name, withoutRoot(expression, start))
  }
  const names = new Map<Stack, string>()
  const nameOf = (stack: Stack): Expression => {
    const name = names.get(stack) ?? `${rest}-${names.size}`
    names.set(stack, name)
    return stack.below === undefined ? EMPTY : rule(name)
  }
  rules.set('root', choice(ways.map(nameOf)))
  // The list grows during the loop, by the stacks below.
  for (const [stack, name] of names) {
    if (stack.below !== undefined) {
      rules.set(name, sequence([withoutRoot(restOf(stack), start), nameOf(stack.below)]))
    }
  }
  return yield* writeGbnf((yield* productive(rules)) as Grammar)
}

function restOf({ expression, done }: Stack): Expression {
  if (expression.kind === 'text') return text(expression.text.slice(done))
  if (expression.kind === 'sequence') return sequence(expression.of.slice(done))
  if (expression.kind !== 'repeat') return expression
  return repeat(expression.of, Math.max(0, expression.min - done), expression.max - done)
}

/** The new grammar has its own root. */
function withoutRoot(expression: Expression, name: string): Expression {
  switch (expression.kind) {
    case 'rule':
      return expression.name === 'root' ? rule(name) : expression
    case 'repeat':
      return { ...expression, of: withoutRoot(expression.of, name) }
    case 'sequence':
    case 'choice':
      return { ...expression, of: expression.of.map((part) => withoutRoot(part, name)) }
    default:
      return expression
  }
}

/** Returns a prefix that no rule's name has. */
function freePrefix(word: string, grammar: Grammar): string {
  let prefix = word
  while ([...grammar.keys()].some((name) => name.startsWith(prefix))) prefix += 'x'
  return prefix
}
