import type { Slices } from '../../../shared/slices.js'
import { normalRanges, type Range } from '../ranges.js'
import type { Automaton, AutomatonState, Edge } from './automaton.js'

/** The number of visited transitions in one slice. */
const SLICE = 20_000

/** Larger automata are not minimized, because it takes quadratic time. */
const MAX_MERGED = 200
/** The target of a state without an edge for a character. */
const NOWHERE = -1

/** Merges states with the same remaining texts. */
export function* merged(automaton: Automaton): Slices<Automaton> {
  const { states } = automaton
  if (states.length > MAX_MERGED) return automaton
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
      // The kinds to which its characters lead, as a text, since it is compared often.
      let name = String.fromCharCode(before[index] as number)
      for (const to of row) name += String.fromCharCode((before[to] ?? MAX_MERGED) + 1)
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

/**
 * Returns the targets of each state by kind of character: characters of one kind lead every state to the same target.
 */
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
  const distinctColumns = [...kinds.values()]
  return states.map((_, from) => distinctColumns.map((column) => column[from] as number))
}

/** Returns where edges begin and end: all characters between two of these have the same edges. */
function startsOf(states: readonly AutomatonState[]): number[] {
  const starts = new Set([0])
  for (const { edges } of states) {
    for (const { ranges } of edges) {
      for (const [first, last] of ranges) starts.add(first).add(last + 1)
    }
  }
  return [...starts].sort((one, other) => one - other)
}

/** Returns the edges to each kind of state, in the order of the kinds. */
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
