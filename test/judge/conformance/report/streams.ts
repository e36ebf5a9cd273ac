import { readdirSync, readFileSync } from 'node:fs'
import type { WireEvent } from '../../../../src/judge/conformance/arbitraries/faults/wire-event.js'
import type { Fault } from '../../../../src/judge/conformance/arbitraries/index.js'
import { type Cause, reportOn, type StreamReport } from '../../../../src/judge/conformance/index.js'
import { createRun, messageOn } from '../../../core/translate/run.js'

const folder = new URL('../../../../fixtures/', import.meta.url)

function failedStream(): WireEvent[] {
  const run = createRun()
  run.push(messageOn('final', 'Half'))
  run.fail({ message: 'engine died' })
  return JSON.parse(JSON.stringify(run.events))
}

/** Good streams: every fixture, and one whose engine died. */
export const GOOD: readonly WireEvent[][] = [
  ...readdirSync(folder)
    .filter((file) => file.endsWith('.events.jsonl'))
    .map((file) =>
      readFileSync(new URL(file, folder), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ),
  failedStream(),
]

export const reportOf = (events: readonly unknown[]): StreamReport => reportOn(events as never)

/** What is wrong with a stream, but for what the model wrote: fixtures have two reasonings side by side. */
export const causesOf = (events: readonly unknown[]): Cause[] =>
  reportOf(events).causes.filter(({ fault }) => fault === 'server')

/** The faulty stream with the numbers that a server had given before an event was lost, came twice or too late. */
export function unrenumbered(events: readonly WireEvent[], { kind, at }: Fault): WireEvent[] {
  const from = (step: number): WireEvent[] =>
    events.map((event, place) => (place >= at ? { ...event, sequence_number: event.sequence_number + step } : event))
  if (kind.startsWith('dropped_')) return from(1)
  if (kind === 'duplicated_event') return from(-1)
  return events.map((event, place) => {
    if (place !== at && place !== at + 1) return event
    return { ...event, sequence_number: event.sequence_number + (place === at ? 1 : -1) }
  })
}
