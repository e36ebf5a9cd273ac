import type { Arbitrary } from 'fast-check'
import { check } from '../../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../../shared/options/check-options.js'
import { listOf, oneOf } from '../../../../shared/options/checks.js'
import fc from '../fast-check.js'
import { printedAs } from '../stream-forms.js'
import type { Fault, FaultKind, Site, Sites } from './fault.js'
import { fields } from './fields.js'
import { order } from './order.js'
import type { SequencedEvent, WireEvent } from './wire-event.js'

const SITES: Readonly<Record<FaultKind, Sites>> = { ...order, ...fields }

/** Every kind of fault. */
export const FAULT_KINDS: readonly FaultKind[] = Object.keys(SITES) as FaultKind[]

/** A stream with one fault in it. */
export interface FaultyStream {
  /** The events: a deep copy, so that the original stream stays unchanged. */
  readonly events: WireEvent[]
  /** The fault, and where it shows. */
  readonly fault: Fault
}

/** Options for {@link faultyStream}. */
export interface FaultOptions {
  /** The kinds of faults to plant. Default: `FAULT_KINDS`. */
  readonly kinds?: readonly FaultKind[]
}

const FAULT_OPTIONS: OptionTable<FaultOptions> = { kinds: listOf(oneOf(...FAULT_KINDS), 'an array of kinds') }

/**
 * Event streams with exactly one fault, to test a checker of streams: it must find a fault in each of them, and none in
 * the originals. It takes well-formed streams of plain JSON events, as a list or as an arbitrary. Each change is really
 * a fault: it drops no delta that makes no difference, and swaps no events that may come in any order. If the order of
 * events changes, they are renumbered, so that the order is the only fault.
 *
 * With a list, all possible kinds are equally frequent. Shrinking keeps the kind, and leads to the shortest stream and
 * the first place for it. With an arbitrary, it shrinks as the streams do; if the drawn kind is impossible in a stream,
 * the next possible kind is used.
 *
 * @throws HarmonyResponsesError `bad_option` if no stream of a list can have any of the kinds. An arbitrary must yield
 * some stream that can, because others are drawn again.
 *
 * @example
 * ```ts
 * import fc from 'fast-check'
 * import { checkEvents } from 'harmony-responses/conformance'
 * import { faultyStream } from 'harmony-responses/conformance/arbitraries'
 *
 * fc.assert(fc.property(faultyStream([events]), ({ events }) => checkEvents(events).length > 0))
 * ```
 */
export function faultyStream(
  streams: readonly (readonly SequencedEvent[])[] | Arbitrary<readonly SequencedEvent[]>,
  options: FaultOptions = {},
): Arbitrary<FaultyStream> {
  checkOptions('faultyStream', options, FAULT_OPTIONS)
  const { kinds = FAULT_KINDS } = options
  const isGiven = Array.isArray(streams) || isArbitrary(streams)
  check(isGiven, 'faultyStream: streams', 'an array of streams, or an arbitrary of one', streams)
  check(!Array.isArray(streams) || streams.length > 0, 'faultyStream: streams', 'at least one stream', streams)
  return 'generate' in streams ? ofArbitrary(streams, kinds) : ofList(streams, kinds)
}

/** By its methods: it may be of another instance of fast-check. */
const isArbitrary = (value: unknown): boolean =>
  ['generate', 'map', 'filter'].every((method) => typeof Object(value)[method] === 'function')

function ofList(streams: readonly (readonly SequencedEvent[])[], kinds: readonly FaultKind[]): Arbitrary<FaultyStream> {
  const shortestFirst = streams.map(copyOf).sort((a, b) => a.length - b.length)
  const able = kinds
    .map((kind) => ({ kind, streams: shortestFirst.filter((events) => SITES[kind](events).length > 0) }))
    .filter(({ streams }) => streams.length > 0)
  check(able.length > 0, 'streams', `a stream that can have ${kinds.join(' or ') || 'some kind of fault'}`, streams)
  // Draws the kind first and never shrinks it: otherwise a shorter stream could have another fault.
  return fc
    .noShrink(fc.constantFrom(...able))
    .chain(({ kind, streams }) =>
      fc
        .tuple(fc.nat({ max: streams.length - 1 }), fc.nat())
        .map(([index, place]) => planted(streams[index] ?? [], kind, place)),
    )
}

function ofArbitrary(
  streams: Arbitrary<readonly SequencedEvent[]>,
  kinds: readonly FaultKind[],
): Arbitrary<FaultyStream> {
  check(kinds.length > 0, 'kinds', 'at least one kind', kinds)
  const nextAble = (events: readonly WireEvent[], from: number): FaultKind | undefined =>
    [...kinds.slice(from), ...kinds.slice(0, from)].find((kind) => SITES[kind](events).length > 0)
  return fc
    .tuple(
      streams.map(copyOf).filter((events) => nextAble(events, 0) !== undefined),
      fc.noShrink(fc.nat({ max: kinds.length - 1 })),
      fc.nat(),
    )
    .map(([events, from, place]) => planted(events, nextAble(events, from) ?? 'dropped_created', place))
}

const copyOf = (stream: readonly SequencedEvent[]): WireEvent[] => structuredClone(stream) as WireEvent[]

function planted(stream: readonly WireEvent[], kind: FaultKind, place: number): FaultyStream {
  const sites = SITES[kind](stream)
  const { at, what, plant } = sites[place % sites.length] as Site
  const events = structuredClone(plant())
  const fault = { kind, at, what }
  return printedAs({ events, fault }, () => show(events, fault))
}

/** How many events are shown on each side of a fault. */
const AROUND = 4

/** The fault, and the events around it. */
function show(events: readonly WireEvent[], { kind, at, what }: Fault): string {
  const from = Math.max(at - AROUND, 0)
  const to = at + AROUND + 1
  const before = events.slice(from, at).map((event) => `  ${showEvent(event)}`)
  const [here = '', ...after] = events.slice(at, to).map(showEvent)
  const isGap = kind.startsWith('dropped_')
  return [
    `FaultyStream(${kind} at ${at} of ${events.length}: ${what}`,
    ...(from > 0 ? [`  (${from} events)`] : []),
    ...before,
    isGap ? '>' : `> ${here}`,
    ...(isGap && here !== '' ? [here, ...after] : after).map((line) => `  ${line}`),
    ...(events.length > to ? [`  (${events.length - to} events)`] : []),
    ')',
  ].join('\n')
}

function showEvent({ type, sequence_number, output_index, delta }: WireEvent): string {
  const about = JSON.stringify({ output_index, delta })
  return `${sequence_number} ${type}${about === '{}' ? '' : ` ${about.slice(0, 90)}`}`
}
