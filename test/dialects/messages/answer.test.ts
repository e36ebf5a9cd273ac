import Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import { toSseResponse } from '../../../src/core/sse/index.js'
import {
  createMessageEncoder,
  type MessageStreamEvent,
  toMessage,
  toMessageEvents,
} from '../../../src/dialects/index.js'
import type { MessageAnswerOptions } from '../../../src/dialects/messages/answer-options.js'
import { deepFreeze } from '../../core/translate/run.js'
import { anyStream, type Break, breaks, endReason, run, runBroken } from '../../laws/streams.js'
import { RUNS } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'

/** What the client is told of a response that broke off. */
const WORDS: Readonly<Record<Break, string>> = {
  fails: 'engine died',
  aborts: 'aborted',
  cancels: 'The response was cancelled.',
}

const anyOptions: fc.Arbitrary<MessageAnswerOptions> = fc.record(
  {
    id: fc.constant('msg_mine'),
    model: fc.constant('mine'),
    thinking: fc.constantFrom('shown', 'omitted', 'sealed'),
    preambles: fc.constantFrom('text', 'hidden'),
    stopSequence: fc.constant(() => 'END'),
  },
  { requiredKeys: [] },
)

function eventsOf(events: readonly ResponseStreamEvent[], options?: MessageAnswerOptions): MessageStreamEvent[] {
  return events.flatMap(createMessageEncoder(options))
}

/** What the SDK's accumulator makes of a stream. */
async function accumulated(events: readonly ResponseStreamEvent[], options?: MessageAnswerOptions) {
  const fetch = async () => toSseResponse(toMessageEvents(events, options) as AsyncGenerator<never>)
  const anthropic = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch })
  const asked = { model: 'm', max_tokens: 1, messages: [{ role: 'user' as const, content: 'Hi' }] }
  // Its own fields are not the server's.
  const {
    parsed_output: _,
    stop_details: __,
    ...message
  } = (await anthropic.messages.stream(asked).finalMessage()) as never as Record<string, unknown>
  return JSON.parse(JSON.stringify(message))
}

test('the SDK accumulates the events to the same answer as without streaming', async () => {
  await fc.assert(
    fc.asyncProperty(anyStream(), endReason, anyOptions, async ({ chunks, setup }, reason, options) => {
      const { events, response } = run(chunks, setup, reason)
      expect(await accumulated(deepFreeze(events), options)).toEqual(toMessage(deepFreeze(response), options))
    }),
    { numRuns: RUNS },
  )
})

test('one block is open at a time, their numbers have no gap, and the end comes once', () => {
  fc.assert(
    fc.property(anyStream(), endReason, anyOptions, ({ chunks, setup }, reason, options) => {
      const said = eventsOf(run(chunks, setup, reason).events, options)
      let next = 0
      let open: number | undefined
      for (const event of said) {
        if (event.type === 'content_block_start') {
          expect([open, event.index]).toEqual([undefined, next])
          open = next++
        } else if (event.type === 'content_block_delta') expect(event.index).toBe(open)
        else if (event.type === 'content_block_stop') {
          expect(event.index).toBe(open)
          open = undefined
        }
      }
      expect(said.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop'])
      expect(said.filter(({ type }) => type === 'message_start')).toHaveLength(1)
      expect(open).toBeUndefined()
    }),
    { numRuns: RUNS },
  )
})

test('thinking without seals has no signature_delta, whose signature would be empty', () => {
  fc.assert(
    fc.property(anyStream(), endReason, anyOptions, ({ chunks, setup }, reason, options) => {
      for (const { delta } of eventsOf(run(chunks, setup, reason).events, options).map(Object)) {
        if (delta?.type === 'signature_delta') expect(delta.signature).not.toBe('')
      }
    }),
    { numRuns: RUNS },
  )
})

test('every call of a client is shown whole, and no other; every other text is shown as it was written', () => {
  fc.assert(
    fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
      const { response } = run(chunks, setup, reason)
      const { content, stop_reason } = toMessage(response, { thinking: 'shown' })
      const calls = response.output.flatMap((item) =>
        item.type === 'function_call' && item.status === 'completed' ? [item.name] : [],
      )
      const uses = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
      expect(uses.map(({ name }) => name)).toEqual(calls)
      for (const { input } of uses) expect(typeof input).toBe('object')
      const whole = uses.length > 0 ? 'tool_use' : 'end_turn'
      const cut = response.incomplete_details?.reason === 'content_filter' ? 'refusal' : 'max_tokens'
      expect(stop_reason).toBe(response.status === 'incomplete' ? cut : whole)
      const texts = response.output.flatMap((item) =>
        item.type === 'message' ? item.content.map(({ text }) => text) : [],
      )
      const blocks = content.flatMap((block) => (block.type === 'text' ? [block] : []))
      const shown = blocks.map(({ text }) => text)
      expect(shown.join('')).toBe(texts.join(''))
      // A block ends behind each citation.
      if (blocks.every(({ citations }) => citations === null))
        expect(shown).toEqual(texts.filter((text) => text !== ''))
    }),
    { numRuns: RUNS },
  )
})

test('a stream that breaks at any token ends with an error that the SDK throws, and a broken response is no answer', async () => {
  await fc.assert(
    fc.asyncProperty(anyStream(), fc.nat(60), breaks, async (stream, at, how) => {
      const { events, response } = runBroken(stream, at, how)
      const error = await accumulated(events).catch((error: unknown) => error)
      expect(error).toMatchObject({ message: expect.stringContaining(WORDS[how]) })
      expect(() => toMessage(response)).toThrow('expected a response that is completed or incomplete')
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
})

test('text beside calls that the server never answers is present when the response ends', () => {
  const header = '<|channel|>commentary to=docs.search <|constrain|>json<|message|>{}'
  const written = [...Array(2)].map(() => `${header}<|end|><|start|>assistant`).join('')
  const setup = { request: { tools: [{ type: 'mcp', server_label: 'docs', require_approval: 'never' }] } }
  const tokens = encodeHarmony(`${written}<|channel|>final<|message|>Hi<|return|>`)
  const { events, response } = run([tokens], setup as never)
  expect(toMessage(response).content).toMatchObject([{ type: 'text', text: 'Hi' }])
  expect(eventsOf(events).flatMap((event) => (event.type === 'content_block_delta' ? [event.delta] : []))).toEqual([
    { type: 'text_delta', text: 'Hi' },
  ])
})

test('the encoder refuses a value that is not an event, and unknown options', () => {
  expect(() => createMessageEncoder({ thinking: 'loud' as never })).toThrow("one of 'shown', 'omitted', 'sealed'")
  expect(() => createMessageEncoder()(1 as never)).toThrow('expected an event')
  const { events } = run([encodeHarmony('<|channel|>final<|message|>Hi<|return|>')])
  const [, , added] = events
  expect(() => createMessageEncoder()(added as never)).toThrow('expected response.created first')
})
