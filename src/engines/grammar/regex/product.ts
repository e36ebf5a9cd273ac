import type { Slices } from '../../../shared/slices.js'
import { LAST_CODE_POINT, normalRanges, type Range } from '../ranges.js'
import { type Automaton, type AutomatonState, type Edge, hasCharacters, MAX_STATES, pruned } from './automaton.js'
import { nodesOfState, SLICE, type Spend } from './work.js'

/** Several automata that read the same text, with whether each of them ends, by state. */
export interface Product {
  readonly states: readonly { readonly ends: readonly boolean[]; readonly edges: readonly Edge[] }[]
}

/** The states of the automata after a text, each as a number. */
type Places = readonly number[]

/** The place of an automaton that no longer allows the text. */
const NOWHERE = -1

/** The targets of a state: from each of the `starts` on, the state at the same index. The first start is 0. */
interface Steps {
  readonly starts: readonly number[]
  readonly to: readonly number[]
}

/**
 * Runs automata in parallel. Undefined if that takes too many states.
 *
 * @param isLive - whether the text after these places matters
 */
export function* product(
  automata: readonly Automaton[],
  spend: Spend,
  isLive: (places: Places) => boolean = (places) => places.some((place) => place !== NOWHERE),
): Slices<Product | undefined> {
  const steps = automata.map(() => new Map<number, Steps>())
  const stepsAt = (index: number, place: number): Steps => {
    const known = steps[index]?.get(place)
    if (known !== undefined) return known
    const made = stepsOf(automata[index]?.states[place])
    steps[index]?.set(place, made)
    return made
  }
  const start = automata.map(() => 0)
  const numbers = new Map([[start.join(' '), 0]])
  const open: Places[] = [start]
  const states: Product['states'][number][] = []
  let worked = 0
  // The list grows during the loop.
  for (const places of open) {
    const byTarget = new Map<number, Range[]>()
    let looks = 0
    for (const { first, last, targets } of sweep(places.map((place, index) => stepsAt(index, place)))) {
      looks += targets.length
      if (!isLive(targets)) continue
      const name = targets.join(' ')
      const to = numbers.get(name) ?? open.length
      if (to === open.length) {
        if (to >= MAX_STATES) return undefined
        numbers.set(name, to)
        open.push(targets)
      }
      const known = byTarget.get(to)
      if (known === undefined) byTarget.set(to, [[first, last]])
      else known.push([first, last])
    }
    const edges = Array.from(byTarget, ([to, ranges]) => ({ ranges: normalRanges(ranges), to })).filter(hasCharacters)
    const ends = automata.map(({ states }, index) => states[places[index] as number]?.isEnd ?? false)
    states.push({ ends, edges })
    const nodes = nodesOfState(looks)
    if (!spend(nodes)) return undefined
    worked += nodes
    if (worked < SLICE) continue
    worked = 0
    yield
  }
  return { states }
}

function stepsOf(state: AutomatonState | undefined): Steps {
  const parts = (state?.edges ?? []).flatMap(({ ranges, to }) => ranges.map(([first, last]) => ({ first, last, to })))
  parts.sort((one, other) => one.first - other.first)
  const [starts, targets] = [[0], [NOWHERE]]
  const goTo = (start: number, to: number): void => {
    // There is nothing between two adjacent ranges.
    const at = starts.at(-1) === start ? starts.length - 1 : starts.length
    starts[at] = start
    targets[at] = to
  }
  for (const { first, last, to } of parts) {
    goTo(first, to)
    goTo(last + 1, NOWHERE)
  }
  return { starts, to: targets }
}

/** Yields the characters that lead all of them to the same places, in order. */
function* sweep(all: readonly Steps[]): Generator<{ first: number; last: number; targets: Places }> {
  const at = all.map(() => 0)
  const startAfter = (index: number): number | undefined => all[index]?.starts[(at[index] as number) + 1]
  for (let first = 0; first <= LAST_CODE_POINT; ) {
    let next = LAST_CODE_POINT + 1
    for (let index = 0; index < all.length; index++) next = Math.min(next, startAfter(index) ?? next)
    yield { first, last: next - 1, targets: all.map(({ to }, index) => to[at[index] as number] as number) }
    for (let index = 0; index < all.length; index++)
      if (startAfter(index) === next) at[index] = (at[index] as number) + 1
    first = next
  }
}

/** Returns the texts that end where `isEnd` accepts the set of automata that end there. */
export function where({ states }: Product, isEnd: (ends: readonly boolean[]) => boolean): Automaton {
  return pruned(states.map(({ ends, edges }) => ({ isEnd: isEnd(ends), edges })))
}

/** Returns the texts that all of them allow. Undefined if that takes too many states. */
export function* intersectionOf(automata: readonly Automaton[], spend: Spend): Slices<Automaton | undefined> {
  const both = yield* product(automata, spend, (places) => !places.includes(NOWHERE))
  return both && where(both, (ends) => ends.every(Boolean))
}

/** Returns the texts that the first one allows and no other. Undefined if that takes too many states. */
export function* differenceOf(
  one: Automaton,
  others: readonly Automaton[],
  spend: Spend,
): Slices<Automaton | undefined> {
  const all = yield* product([one, ...others], spend, ([place]) => place !== NOWHERE)
  return all && where(all, ([isOne, ...ends]) => isOne === true && !ends.includes(true))
}
