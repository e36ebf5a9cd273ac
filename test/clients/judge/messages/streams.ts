import fc from 'fast-check'
import type { ResponseStreamEvent } from '../../../../src/core/responses/events.js'
import { createMessageEncoder, type MessageAnswerOptions } from '../../../../src/dialects/index.js'
import type { WireEvent } from '../damages.js'
import { fixtureStreams, generatedStreams, type NamedStream } from '../streams.js'

const options: fc.Arbitrary<{
  readonly answer: MessageAnswerOptions
  readonly piece: number
  readonly hasPings: boolean
}> = fc.record({
  answer: fc.record({
    thinking: fc.constantFrom('shown', 'shown', 'omitted', 'sealed'),
    preambles: fc.constantFrom('text', 'hidden'),
  }),
  piece: fc.integer({ min: 3, max: 30 }),
  hasPings: fc.boolean(),
})

/** The fixtures of this repository, and generated streams, converted to the Messages API. */
export function ownStreams(count: number, seed: number): NamedStream[] {
  const streams = [...fixtureStreams(), ...generatedStreams(count, seed)]
  const drawn = fc.sample(options, { numRuns: streams.length, seed })
  return streams.map(({ name, events }, at) => {
    const { answer, piece, hasPings } = drawn[at] as (typeof drawn)[number]
    const encode = createMessageEncoder(answer)
    const written = events.flatMap((event) => encode(event as unknown as ResponseStreamEvent))
    // As they come over the wire.
    const wire = JSON.parse(JSON.stringify(written)) as WireEvent[]
    const pieces = signed(wire).flatMap((event) => inPieces(event, piece))
    return { name, events: hasPings ? pieces.toSpliced(1, 0, { type: 'ping' }) : pieces }
  })
}

/** Each block of thinking with a signature, as those of Anthropic's servers and of our endpoint have one. */
function signed(events: readonly WireEvent[]): WireEvent[] {
  let [isThinking, isSigned] = [false, false]
  return events.flatMap((event) => {
    const { type, content_block: block, delta, index } = event
    if (type === 'content_block_start') [isThinking, isSigned] = [Object(block).type === 'thinking', false]
    if (Object(delta).type === 'signature_delta') isSigned = true
    if (type !== 'content_block_stop' || !isThinking || isSigned) return [event]
    return [{ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: 'c2ln' } }, event]
  })
}

/** The input of a call as Anthropic's servers stream it. */
function inPieces(event: WireEvent, length: number): WireEvent[] {
  const { delta } = event
  const { partial_json: json } = Object(delta) as { partial_json?: unknown }
  if (typeof json !== 'string' || json === '') return [event]
  const pieces = Array.from({ length: Math.ceil(json.length / length) }, (_, at) =>
    json.slice(at * length, (at + 1) * length),
  )
  return ['', ...pieces].map((partial_json) => ({ ...event, delta: { ...Object(delta), partial_json } }))
}
