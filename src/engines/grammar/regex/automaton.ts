import { LAST_CODE_POINT, normalRanges, type Range } from '../ranges.js'

/** The maximum number of states of an automaton, each of which becomes a rule of a grammar. */
export const MAX_STATES = 1_500
/** A deterministic automaton over characters. A text begins in the first state. */
export interface Automaton {
  readonly states: readonly AutomatonState[]
}

export interface AutomatonState {
  /** Whether a text may end here. */
  readonly isEnd: boolean
  /** Disjoint. A character without an edge leads nowhere. */
  readonly edges: readonly Edge[]
}

export interface Edge {
  readonly ranges: readonly Range[]
  readonly to: number
}

/** Returns the automaton of the listed texts. Undefined if they have too many characters. */
export function automatonOfTexts(texts: readonly string[]): Automaton | undefined {
  const states: { isEnd: boolean; next: Map<number, number> }[] = [{ isEnd: false, next: new Map() }]
  for (const text of texts) {
    let at = 0
    for (const character of text) {
      const code = character.codePointAt(0) as number
      const state = states[at] as (typeof states)[number]
      const to = state.next.get(code) ?? states.length
      if (to === states.length) {
        if (states.length >= MAX_STATES) return undefined
        states.push({ isEnd: false, next: new Map() })
        state.next.set(code, to)
      }
      at = to
    }
    ;(states[at] as (typeof states)[number]).isEnd = true
  }
  const edgesOf = (next: ReadonlyMap<number, number>): Edge[] =>
    Array.from(next, ([code, to]) => ({ ranges: normalRanges([[code, code]]), to })).filter(hasCharacters)
  return pruned(states.map(({ isEnd, next }) => ({ isEnd, edges: edgesOf(next) })))
}

/** Returns the automaton of the texts with a length in this range. Undefined if that takes too many states. */
export function automatonOfLengths(min: number, max: number): Automaton | undefined {
  const last = max === Number.POSITIVE_INFINITY ? min : max
  if (last >= MAX_STATES) return undefined
  const states = Array.from({ length: last + 1 }, (_, length) => {
    const to = length < last ? length + 1 : last
    return { isEnd: length >= min, edges: to === length && max === last ? [] : [{ ranges: ANY, to }] }
  })
  return { states }
}

const ANY: readonly Range[] = normalRanges([[0, LAST_CODE_POINT]])

/** Whether it allows no text. */
export function isEmpty({ states }: Automaton): boolean {
  return !states.some(({ isEnd }) => isEnd)
}

/** Whether it allows a text. */
export function allowsText({ states }: Automaton, text: string): boolean {
  let at = states[0]
  for (const character of text) {
    const code = character.codePointAt(0) as number
    const edge = at?.edges.find(({ ranges }) => isIn(ranges, code))
    if (edge === undefined) return false
    at = states[edge.to]
  }
  return at?.isEnd ?? false
}

/** Removes states from which no text ends. */
export function pruned(states: readonly AutomatonState[]): Automaton {
  const before = states.map((): number[] => [])
  for (const [from, { edges }] of states.entries()) for (const { to } of edges) before[to]?.push(from)
  const live = new Set(states.flatMap(({ isEnd }, index) => (isEnd ? [index] : [])))
  // The set grows during the loop.
  for (const state of live) for (const from of before[state] ?? []) live.add(from)
  if (!live.has(0)) return { states: [{ isEnd: false, edges: [] }] }
  const kept = [...live].sort((one, other) => one - other)
  const numbers = new Map(kept.map((old, index) => [old, index]))
  return {
    states: kept.map((old) => {
      const { isEnd, edges } = states[old] as AutomatonState
      const left = edges.filter(({ to }) => live.has(to))
      return { isEnd, edges: left.map(({ ranges, to }) => ({ ranges, to: numbers.get(to) as number })) }
    }),
  }
}

/** False for an edge with only surrogates. */
export function hasCharacters({ ranges }: Edge): boolean {
  return ranges.length > 0
}

function isIn(ranges: readonly Range[], code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last)
}
