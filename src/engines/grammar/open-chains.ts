import {
  choice,
  collectNames,
  type Expression,
  type Grammar,
  mapped,
  partsOf,
  rule,
  sequence,
  waysOf,
} from './expression.js'

/** The maximum number of rules that are copied together with what follows them. */
const MAX_CONTINUED = 2000

type IsCharacter = (expression: Expression) => boolean

/** A character of a chain, and the rule for the next one. Without a character, the chain ends. */
interface Step {
  readonly character?: Expression | undefined
  readonly next?: string | undefined
}

/**
 * Moves what follows a chain of rules into its last rules. Each rule of a chain is one character, and the chain may end
 * after several of them. Otherwise xgrammar looks past the end of the chain again for each token.
 *
 * @param word - the beginning of the names of new rules, which no other name has
 */
export function withContinuations(grammar: Grammar, word: string, isCharacter: IsCharacter): Grammar {
  const all = new Map(grammar)
  const names = new Map<string, string>()
  const waiting: { readonly name: string; readonly steps: readonly Step[]; readonly after: Expression }[] = []

  function followed(name: string, after: Expression): Expression | undefined {
    const key = JSON.stringify([name, after])
    let made = names.get(key)
    if (made === undefined) {
      const steps = names.size < MAX_CONTINUED && stepsOf(grammar.get(name), isCharacter)
      if (!steps) return undefined
      made = `${word}-${names.size}`
      names.set(key, made)
      waiting.push({ name: made, steps, after })
    }
    return rule(made)
  }

  function continued(expression: Expression): Expression {
    if (expression.kind !== 'sequence') return expression
    const of = [...expression.of]
    for (let at = of.length - 2; at >= 0; at--) {
      const [one, after] = [of[at], of[at + 1]]
      if (one?.kind !== 'rule' || (after?.kind !== 'text' && after?.kind !== 'rule')) continue
      const both = followed(one.name, after)
      if (both !== undefined) of.splice(at, 2, both)
    }
    return sequence(of)
  }

  for (const [name, expression] of grammar) all.set(name, mapped(expression, continued))
  for (const { name, steps, after } of waiting) {
    const ways = steps.map(({ character, next }) => {
      if (character === undefined) return after
      const rest = next === undefined ? after : (followed(next, after) ?? sequence([rule(next), after]))
      return sequence([character, rest])
    })
    all.set(name, choice(ways))
  }
  return all
}

/** Returns the steps of a rule in a chain; undefined for any other rule. */
function stepsOf(expression: Expression | undefined, isCharacter: IsCharacter): readonly Step[] | undefined {
  if (expression === undefined) return undefined
  const steps: Step[] = []
  for (const way of waysOf(expression)) {
    const [character, next, ...others] = partsOf(way)
    if (others.length > 0 || (next !== undefined && next.kind !== 'rule')) return undefined
    if (character !== undefined && !isCharacter(character)) return undefined
    steps.push({ character, next: next?.name })
  }
  // A single character is not a chain.
  return steps.some(({ character, next }) => character === undefined || next !== undefined) ? steps : undefined
}

/** The rules that `root` uses. */
export function used(grammar: Grammar): Grammar {
  const names = ['root']
  const known = new Set(names)
  for (const name of names) {
    const inside: string[] = []
    const expression = grammar.get(name)
    if (expression !== undefined) collectNames(expression, inside)
    for (const one of inside) {
      if (!known.has(one)) names.push(one)
      known.add(one)
    }
  }
  return new Map([...grammar].filter(([name]) => known.has(name)))
}
