import type { Slices } from '../../slices.js'
import { LAST_CODE_POINT, normalRanges, type Range } from '../ranges.js'

/** So many states an automaton may have. Each becomes a rule of a grammar. */
const MOST_STATES = 1_500
/** Counts work, in nodes of a grammar. False if it is too much: then it is not to be done. */
export type Spend = (nodes: number) => boolean
/** So many looks at a range of characters are the work of a node. */
const LOOKS = 3
/** What a state takes beside them, in nodes. */
const OF_STATE = 3
/** So many nodes are the work of one slice. */
const SLICE = 1_000

/** A deterministic automaton over characters. The first state is where a text begins. */
export interface Automaton {
  readonly states: readonly AutomatonState[]
}

export interface AutomatonState {
  /** Whether a text may end here. */
  readonly isEnd: boolean
  /** No two have a character in common. One that no edge has leads nowhere. */
  readonly edges: readonly Edge[]
}

export interface Edge {
  readonly ranges: readonly Range[]
  readonly to: number
}

/** Several automata that read the same text: whether each of them ends, by state. */
export interface Product {
  readonly states: readonly { readonly ends: readonly boolean[]; readonly edges: readonly Edge[] }[]
}

/** Where an automaton is that no longer allows the text. */
const NOWHERE = -1

/** Runs automata side by side. Undefined if that takes too many states. */
export function* product(automata: readonly Automaton[], spend: Spend): Slices<Product | undefined> {
  const made = yield* explore(
    automata.map(() => 0),
    spend,
    (places) => {
      const all = automata.map(({ states }, index) => states[places[index] as number]?.edges ?? [])
      const ranges = all.flatMap((edges) => edges.map(({ ranges }) => ranges))
      return { all, ranges }
    },
    ({ all }, code) => all.map((edges) => edges.find(({ ranges }) => isIn(ranges, code))?.to ?? NOWHERE),
    (places) => places.join(' '),
  )
  return (
    made && {
      states: made.map(({ key, edges }) => ({
        ends: automata.map(({ states }, index) => states[key[index] as number]?.isEnd ?? false),
        edges,
      })),
    }
  )
}

/** The texts that end where `isEnd` says so of the automata that end there. */
export function where({ states }: Product, isEnd: (ends: readonly boolean[]) => boolean): Automaton {
  return pruned(states.map(({ ends, edges }) => ({ isEnd: isEnd(ends), edges })))
}

/** The texts that all of them allow. Undefined if that takes too many states. */
export function* intersectionOf(automata: readonly Automaton[], spend: Spend): Slices<Automaton | undefined> {
  const both = yield* product(automata, spend)
  return both && where(both, (ends) => ends.every(Boolean))
}

/** The texts that the first one allows and none of the others. Undefined if that takes too many states. */
export function* differenceOf(
  one: Automaton,
  others: readonly Automaton[],
  spend: Spend,
): Slices<Automaton | undefined> {
  const all = yield* product([one, ...others], spend)
  return all && where(all, ([isOne, ...ends]) => isOne === true && !ends.includes(true))
}

/** The listed texts. Undefined if they have too many characters. */
export function automatonOfTexts(texts: readonly string[]): Automaton | undefined {
  const states: { isEnd: boolean; next: Map<number, number> }[] = [{ isEnd: false, next: new Map() }]
  for (const text of texts) {
    let at = 0
    for (const character of text) {
      const code = character.codePointAt(0) as number
      const state = states[at] as (typeof states)[number]
      const to = state.next.get(code) ?? states.length
      if (to === states.length) {
        if (states.length >= MOST_STATES) return undefined
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

/** The texts of so many characters. Undefined if that takes too many states. */
export function automatonOfLengths(min: number, max: number): Automaton | undefined {
  const last = max === Number.POSITIVE_INFINITY ? min : max
  if (last >= MOST_STATES) return undefined
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

/**
 * The states that a walk from `start` comes to, each once, with the edges between them. Undefined if there are too many.
 *
 * @param partsOf - what goes on from a state, with the ranges that it tells characters apart by
 * @param next - where a character leads
 * @param nameOf - the same for states that are the same
 */
export function* explore<Key, Parts extends { readonly ranges: readonly (readonly Range[])[] }>(
  start: Key,
  spend: Spend,
  partsOf: (key: Key) => Parts,
  next: (parts: Parts, code: number) => Key | undefined,
  nameOf: (key: Key) => string,
): Slices<{ readonly key: Key; readonly edges: readonly Edge[] }[] | undefined> {
  const numbers = new Map([[nameOf(start), 0]])
  const open: Key[] = [start]
  const made: { key: Key; edges: readonly Edge[] }[] = []
  let worked = 0
  // It grows meanwhile.
  for (const key of open) {
    const parts = partsOf(key)
    const starts = startsOf(parts.ranges)
    const nodes = OF_STATE + Math.ceil((starts.length * parts.ranges.length) / LOOKS)
    if (!spend(nodes)) return undefined
    worked += nodes
    if (worked >= SLICE) {
      worked = 0
      yield
    }
    const byTarget = new Map<number, Range[]>()
    for (const [index, first] of starts.entries()) {
      const target = next(parts, first)
      if (target === undefined) continue
      const name = nameOf(target)
      const to = numbers.get(name) ?? open.length
      if (to === open.length) {
        if (to >= MOST_STATES) return undefined
        numbers.set(name, to)
        open.push(target)
      }
      const range: Range = [first, (starts[index + 1] ?? LAST_CODE_POINT + 1) - 1]
      const known = byTarget.get(to)
      if (known === undefined) byTarget.set(to, [range])
      else known.push(range)
    }
    const edges = Array.from(byTarget, ([to, ranges]) => ({ ranges: normalRanges(ranges), to })).filter(hasCharacters)
    made.push({ key, edges })
  }
  return made
}

/** Where ranges begin and end: between two of these, all characters are in the same ones. */
function startsOf(all: readonly (readonly Range[])[]): number[] {
  const starts = new Set([0])
  for (const ranges of all) {
    for (const [first, last] of ranges) {
      starts.add(first)
      if (last < LAST_CODE_POINT) starts.add(last + 1)
    }
  }
  return [...starts].sort((one, other) => one - other)
}

/** Without states from which no text comes to an end. */
export function pruned(states: readonly AutomatonState[]): Automaton {
  const before = states.map((): number[] => [])
  for (const [from, { edges }] of states.entries()) for (const { to } of edges) before[to]?.push(from)
  const live = new Set(states.flatMap(({ isEnd }, index) => (isEnd ? [index] : [])))
  // It grows meanwhile.
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

/** So many looks at what follows a state are the work of one slice. */
const MERGE_LOOKS = 20_000

/** Automata of more states are left as they are: it takes the square of them. */
const MOST_MERGED = 200

/** With states merged after which the same texts may follow. */
export function* merged(automaton: Automaton): Slices<Automaton> {
  const { states } = automaton
  if (states.length > MOST_MERGED) return automaton
  const rows = yield* targetsOf(states)
  let kinds: readonly number[] = states.map(({ isEnd }) => (isEnd ? 1 : 0))
  let looked = 0
  for (let count = 0; ; ) {
    looked += rows.length * (rows[0]?.length ?? 0)
    if (looked >= MERGE_LOOKS) {
      looked = 0
      yield
    }
    const numbers = new Map<string, number>()
    const before = kinds
    kinds = rows.map((row, index) => {
      // The kinds that its characters lead to, as a text: it is compared often.
      const name = String.fromCharCode(before[index] as number, ...row.map((to) => (before[to] ?? MOST_MERGED) + 1))
      const number = numbers.get(name) ?? numbers.size
      numbers.set(name, number)
      return number
    })
    if (numbers.size === count) break
    count = numbers.size
  }
  const first = [...new Set(kinds)].map((kind) => states[kinds.indexOf(kind)] as AutomatonState)
  return { states: first.map((state) => ({ isEnd: state.isEnd, edges: mergedEdges(state, kinds) })) }
}

/** Where each state is led to by each kind of character: characters are of one kind that lead every state to the same one. */
function* targetsOf(states: readonly AutomatonState[]): Slices<number[][]> {
  const starts = startsOf(states.flatMap(({ edges }) => edges.map(({ ranges }) => ranges)))
  const places = new Map(starts.map((start, index) => [start, index]))
  const columns = starts.map(() => states.map(() => NOWHERE))
  for (const [from, { edges }] of states.entries()) {
    for (const { ranges, to } of edges) {
      for (const [first, last] of ranges) {
        const end = places.get(last + 1) ?? starts.length
        for (let at = places.get(first) as number; at < end; at++) (columns[at] as number[])[from] = to
      }
    }
  }
  yield
  const kinds = [...new Map(columns.map((column) => [column.join(), column])).values()]
  yield
  return states.map((_, from) => kinds.map((column) => column[from] as number))
}

/** The edges to each kind of state, in the order of the kinds. */
function mergedEdges({ edges }: AutomatonState, kinds: readonly number[]): Edge[] {
  const byKind = new Map<number, Range[]>()
  for (const { ranges, to } of edges) {
    const kind = kinds[to] as number
    byKind.set(kind, [...(byKind.get(kind) ?? []), ...ranges])
  }
  return Array.from(byKind, ([to, ranges]) => ({ ranges: normalRanges(ranges), to })).sort(
    (one, other) => one.to - other.to,
  )
}

/** Surrogates alone are none. */
function hasCharacters({ ranges }: Edge): boolean {
  return ranges.length > 0
}

function isIn(ranges: readonly Range[], code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last)
}
