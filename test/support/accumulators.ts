import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import { VERSION } from 'openai/version'
import type { ResponseStreamEvent } from '../../src/core/responses/events.js'

export type Accumulate = (event: never, snapshot?: never) => unknown

/** Returns the SDK's accumulated response of a stream, without the keys it adds itself. */
export function accumulated(accumulate: Accumulate, events: readonly ResponseStreamEvent[]): unknown {
  let snapshot: unknown
  for (const event of events) {
    // The raw SDK stream throws at `error`, as on the real wire. The accumulator must see the events after it.
    if (event.type !== 'error') snapshot = accumulate(structuredClone(event) as never, snapshot as never)
  }
  return JSON.parse(JSON.stringify(snapshot), (key, value) =>
    key === 'output_text' || key === 'parsed' ? undefined : value,
  )
}

/** Events that real streams have and the SDK of version 6 has never heard of: its stream helper throws at them. */
const UNKNOWN_TO_6 = /^response\.shell_call_/

/** That of the installed `openai`, if it knows every event of the stream: 6.49 in `npm test`, 7.59 in `npm run test:clients`. */
export function accumulatorsFor(events: readonly ResponseStreamEvent[]): Accumulate[] {
  const isUnknown = VERSION.startsWith('6.') && events.some(({ type }) => UNKNOWN_TO_6.test(type))
  return isUnknown ? [] : [accumulateResponse as unknown as Accumulate]
}
