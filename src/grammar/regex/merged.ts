import type { Slices } from '../../slices.js'
import { normalRanges, type Range } from '../ranges.js'
import type { Automaton, AutomatonState, Edge } from './automaton.js'

/** So many looks at what follows a state are the work of one slice. */
const SLICE = 20_000

/** Automata of more states are left as they are: it takes the square of them. */
const MOST_MERGED = 200
/** Where a state has no edge for a character. */
const NOWHERE = -1

/** With states merged after which the same texts may follow. */
export function* merged(automaton: Automaton): Slices<Automaton> {
  const { states } = automaton
  if (states.length > MOST_MERGED) return automaton
  const rows = yield* targetsOf(states)
  let kinds: readonly number[] = states.map(({ isEnd }) => (isEnd ? 1 : 0))
  let looked = 0
  for (let count = 0; ; ) {
    looked += rows.length * (rows[0]?.length ?? 0)
    if (looked >= SLICE) {
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
  const starts = startsOf(states)
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
  const kinds = new Map<string, number[]>()
  let looked = starts.length * states.length
  for (const column of columns) {
    if (looked >= SLICE) {
      looked = 0
      yield
    }
    looked += states.length
    kinds.set(column.join(), column)
  }
  const told = [...kinds.values()]
  return states.map((_, from) => told.map((column) => column[from] as number))
}

/** Where edges begin and end: between two of these, all characters have the same ones. */
function startsOf(states: readonly AutomatonState[]): number[] {
  const starts = new Set([0])
  for (const { edges } of states) {
    for (const { ranges } of edges) {
      for (const [first, last] of ranges) starts.add(first).add(last + 1)
    }
  }
  return [...starts].sort((one, other) => one - other)
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
