import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { ResponseStreamEvent } from '../../../../src/core/responses/events.js'
import { type ChatAnswerOptions, createChatEncoder } from '../../../../src/dialects/index.js'
import { createStreamReader } from '../../../../src/judge/conformance/index.js'
import { fixtureStreams, generatedStreams, type NamedStream } from '../streams.js'

const options: fc.Arbitrary<ChatAnswerOptions> = fc.record({
  includeUsage: fc.boolean(),
  reasoning: fc.constantFrom('both', 'reasoning_content', 'reasoning', 'hidden'),
  preambles: fc.constantFrom('content', 'reasoning'),
  calls: fc.constantFrom('tool_calls', 'tool_calls', 'tool_calls', 'function_call'),
})

/** The fixtures of this repository, and generated streams, converted to Chat Completions. */
export function ownStreams(count: number, seed: number): NamedStream[] {
  const streams = [...fixtureStreams(), ...generatedStreams(count, seed)]
  const drawn = fc.sample(options, { numRuns: streams.length, seed })
  return streams.map(({ name, events }, at) => {
    const encode = createChatEncoder(drawn[at])
    const chunks = events.flatMap((event) => encode(event as unknown as ResponseStreamEvent))
    // As they come over the wire.
    return { name, events: JSON.parse(JSON.stringify(chunks)) }
  })
}

/** Genuine streams of llama-server, where HARMONY_SHARED is the folder of them; none without it. */
export function capturedStreams(): NamedStream[] {
  const shared = process.env['HARMONY_SHARED']
  const folder = join(shared ?? '', 'data/captured/llama-server')
  if (shared === undefined || !existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => /^chat-.*\.txt$/.test(file))
    .sort()
    .map((file) => ({ name: `captured ${file}`, events: chunksIn(readFileSync(join(folder, file), 'utf8')) }))
}

function chunksIn(capture: string): NamedStream['events'] {
  const reader = createStreamReader({ api: 'chat' })
  return [...reader.push(capture), ...reader.end()].flatMap((read) => {
    if (read.kind === 'event') return [read.event]
    return read.kind === 'untyped' ? [read.value as NamedStream['events'][number]] : []
  })
}
