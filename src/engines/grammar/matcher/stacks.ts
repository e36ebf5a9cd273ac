import type { Expression, Grammar } from '../expression.js'
import { BadGrammar } from '../gbnf/bad-grammar.js'
import { contains, type Range } from '../ranges.js'
import type { Cost } from './costs.js'

/** The maximum number of ways that are followed at once. */
const MAX_WAYS = 2_000
/** The maximum number of expressions that are opened to find the ways of a state: each may be several rules deep. */
const MAX_OPENED = 10 * MAX_WAYS

/** The remaining text: the rest of an expression, and then the stack below. There is one object for each. */
export interface Stack {
  readonly expression: Expression
  /** The finished part: units of a text, parts of a sequence, repetitions. */
  readonly done: number
  /** Undefined only at the bottom. */
  readonly below: Stack | undefined
  /** The length of the shortest text, in characters. */
  readonly cost: number
  readonly above: Map<Expression, Map<number, Stack>>
  /** The stacks with which it can begin: those that begin with a character, or the bottom. Computed on demand. */
  ways: readonly Stack[] | undefined
}

export interface Stacks {
  readonly bottom: Stack
  put(expression: Expression, done: number, below: Stack): Stack
  /** Returns the ways of a stack: texts, classes, and the bottom if everything may end. */
  ways(stack: Stack): readonly Stack[]
  /** Returns the stacks that may follow a character. */
  step(ways: readonly Stack[], code: number): readonly Stack[]
  /** Opens a stack that does not begin with a character, by one step. */
  open(stack: Stack): readonly Stack[]
}

export function createStacks(grammar: Grammar, cost: Cost): Stacks {
  const bottom: Stack = {
    expression: { kind: 'sequence', of: [] },
    done: 0,
    below: undefined,
    cost: 0,
    above: new Map(),
    ways: undefined,
  }

  function put(expression: Expression, done: number, below: Stack): Stack {
    const known = below.above.get(expression) ?? new Map<number, Stack>()
    below.above.set(expression, known)
    const same = known.get(done)
    if (same !== undefined) return same
    const own = restCost(expression, done, cost)
    const stack: Stack = { expression, done, below, cost: own + below.cost, above: new Map(), ways: undefined }
    known.set(done, stack)
    return stack
  }

  function open({ expression, done, below }: Stack): readonly Stack[] {
    if (below === undefined) return []
    switch (expression.kind) {
      case 'rule':
        return [put(grammar.get(expression.name) as Expression, 0, below)]
      case 'choice':
        return expression.of.map((part) => put(part, 0, below))
      case 'sequence': {
        const part = expression.of[done]
        if (part === undefined) return [below]
        // A sequence is dropped at its last part, so that recursive lists do not pile up.
        return [put(part, 0, done + 1 < expression.of.length ? put(expression, done + 1, below) : below)]
      }
      case 'repeat': {
        const { of, min, max } = expression
        if (done >= max) return [below]
        // Above the minimum, an endless repetition need not be counted.
        const next = max === Number.POSITIVE_INFINITY ? Math.min(done + 1, min) : done + 1
        const again = put(of, 0, next < max ? put(expression, next, below) : below)
        return done >= min ? [again, below] : [again]
      }
      default:
        return []
    }
  }

  function ways(stack: Stack): readonly Stack[] {
    if (stack.ways !== undefined) return stack.ways
    const found: Stack[] = []
    const seen = new Set([stack])
    for (const each of seen) {
      const isStart = each === bottom || each.expression.kind === 'text' || each.expression.kind === 'class'
      if (isStart) found.push(each)
      for (const inner of isStart ? [] : open(each)) if (Number.isFinite(inner.cost)) seen.add(inner)
      if (found.length > MAX_WAYS || seen.size > MAX_OPENED)
        throw new BadGrammar('The grammar is too ambiguous to be followed.')
    }
    stack.ways = found
    return found
  }

  function step(from: readonly Stack[], code: number): readonly Stack[] {
    // Usually only one way continues, and nothing has to be merged.
    let only: readonly Stack[] = []
    let all: Set<Stack> | undefined
    for (const stack of from) {
      const after = afterCharacter(stack, code)
      if (after === undefined) continue
      const found = ways(after)
      if (only.length === 0) only = found
      else {
        all ??= new Set(only)
        for (const way of found) all.add(way)
        if (all.size > MAX_WAYS) throw new BadGrammar('The grammar is too ambiguous to be followed.')
      }
    }
    return all === undefined ? only : [...all]
  }

  function afterCharacter({ expression, done, below }: Stack, code: number): Stack | undefined {
    if (below === undefined) return undefined
    if (expression.kind === 'class') return contains(expression.ranges, code) ? below : undefined
    if (expression.kind !== 'text' || expression.text.codePointAt(done) !== code) return undefined
    const length = done + (code > 0xffff ? 2 : 1)
    return length < expression.text.length ? put(expression, length, below) : below
  }

  return { bottom, put, ways, step, open }
}

/** Returns the cost of the rest of an expression. */
function restCost(expression: Expression, done: number, cost: Cost): number {
  if (done === 0) return cost(expression)
  if (expression.kind === 'text') return Array.from(expression.text.slice(done)).length
  if (expression.kind === 'sequence') {
    let sum = 0
    for (let at = done; at < expression.of.length; at++) sum += cost(expression.of[at] as Expression)
    return sum
  }
  if (expression.kind !== 'repeat' || done >= expression.min) return 0
  return (expression.min - done) * cost(expression.of)
}

/** Returns the characters that may come next on a way. */
export function firstRanges({ expression, done }: Stack): readonly Range[] {
  if (expression.kind === 'class') return expression.ranges
  const code = expression.kind === 'text' ? expression.text.codePointAt(done) : undefined
  return code === undefined ? [] : [[code, code]]
}
