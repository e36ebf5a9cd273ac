import fc from 'fast-check'
import { check } from '../../../errors.js'
import { shown } from '../stream-forms.js'
import type { Fault, FaultKind, Site, Sites } from './fault.js'
import { fields } from './fields.js'
import { order } from './order.js'
import type { SequencedEvent, WireEvent } from './wire-event.js'

const SITES: Readonly<Record<FaultKind, Sites>> = { ...order, ...fields }

/** Every kind of fault. */
export const FAULT_KINDS: readonly FaultKind[] = Object.keys(SITES) as FaultKind[]

/** A stream with one fault in it. */
export interface FaultyStream {
  /** The events as JSON: detached from the stream that they were made of, which is left as it was. */
  readonly events: WireEvent[]
  readonly fault: Fault
}

/** Which faults. */
export interface FaultOptions {
  /** Default: `FAULT_KINDS`. */
  readonly kinds?: readonly FaultKind[]
}

/**
 * Event streams with exactly one fault, for testing a judge of streams: it must find one in each of them, and none in
 * what they were made of. Takes well-formed streams, as a list or as an arbitrary, whose events are plain JSON. A fault
 * is planted only where it is one: no delta is dropped that nobody would miss, no events are swapped that may come in
 * any order. Where the order of events changes, their numbers stay 0, 1, 2, ...: the order is the one fault.
 *
 * Of a list, each kind is as frequent as any other that some stream can have; it keeps its kind while it shrinks, to the
 * shortest stream that can have it and the first place in there. Of an arbitrary, it shrinks as the streams do; where
 * the drawn kind cannot be planted, the next that can be is.
 *
 * @throws HarmonyResponsesError `bad_option` where no stream of a list can have any of the kinds. Streams of an arbitrary
 * that cannot are drawn again, so some of them must.
 */
export function faultyStream(
  streams: readonly (readonly SequencedEvent[])[] | fc.Arbitrary<readonly SequencedEvent[]>,
  options: FaultOptions = {},
): fc.Arbitrary<FaultyStream> {
  const { kinds = FAULT_KINDS } = options
  for (const kind of kinds) check(kind in SITES, 'kinds', `some of ${FAULT_KINDS.join(', ')}`, kind)
  return 'generate' in streams ? ofArbitrary(streams, kinds) : ofList(streams, kinds)
}

function ofList(
  streams: readonly (readonly SequencedEvent[])[],
  kinds: readonly FaultKind[],
): fc.Arbitrary<FaultyStream> {
  const shortestFirst = streams.map(copyOf).sort((a, b) => a.length - b.length)
  const able = kinds
    .map((kind) => ({ kind, streams: shortestFirst.filter((events) => SITES[kind](events).length > 0) }))
    .filter(({ streams }) => streams.length > 0)
  check(able.length > 0, 'streams', `one that can have ${kinds.join(' or ') || 'some kind of fault'}`, streams)
  // Drawn before the stream and never shrunk: a shorter stream is not to be one with another fault.
  return fc
    .noShrink(fc.constantFrom(...able))
    .chain(({ kind, streams }) =>
      fc
        .tuple(fc.nat({ max: streams.length - 1 }), fc.nat())
        .map(([index, place]) => planted(streams[index] ?? [], kind, place)),
    )
}

function ofArbitrary(
  streams: fc.Arbitrary<readonly SequencedEvent[]>,
  kinds: readonly FaultKind[],
): fc.Arbitrary<FaultyStream> {
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
  return shown({ events, fault }, () => show(events, fault))
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
