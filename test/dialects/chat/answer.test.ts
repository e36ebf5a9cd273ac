import fc from 'fast-check'
import { APIError } from 'openai'
import { VERSION } from 'openai/version'
import { describe, expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import type { Response as ResponseObject } from '../../../src/core/responses/response.js'
import { encodeSseData, toSseResponse } from '../../../src/core/sse/index.js'
import type { ChatAnswerOptions } from '../../../src/dialects/chat/answer-options.js'
import {
  type ChatChunk,
  type ChatError,
  type ChatMessage,
  createChatEncoder,
  createChatSseEncoder,
  toChatChunks,
  toChatCompletion,
  toChatError,
} from '../../../src/dialects/index.js'
import { deepFreeze } from '../../core/translate/run.js'
import { anyStream, type Break, breaks, endReason, oneByOne, run, runBroken } from '../../laws/streams.js'
import { collect } from '../../support/collect.js'
import { RUNS, runs } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'
import { accumulated, clientOf, received } from './sdk.js'

/** What the client is told of a response that broke off. */
const WORDS: Readonly<Record<Break, string>> = {
  fails: 'engine died',
  aborts: 'aborted',
  cancels: 'The response was cancelled.',
}

const anyOptions: fc.Arbitrary<ChatAnswerOptions> = fc.record(
  {
    id: fc.constant('chatcmpl-mine'),
    model: fc.constant('mine'),
    created: fc.constant(7),
    reasoning: fc.constantFrom('both', 'reasoning_content', 'reasoning'),
    preambles: fc.constantFrom('content', 'reasoning'),
    hostedCalls: fc.constantFrom('hidden', 'reasoning'),
    calls: fc.constantFrom('tool_calls', 'function_call'),
  },
  { requiredKeys: [] },
)

function streamed(events: readonly ResponseStreamEvent[], options?: ChatAnswerOptions): Response {
  return toSseResponse(toChatChunks(events, options), { eventLines: false, done: true })
}

function chunksOf(events: readonly ResponseStreamEvent[], options?: ChatAnswerOptions): (ChatChunk | ChatError)[] {
  return events.flatMap(createChatEncoder(options))
}

/** The deltas of a stream that did not fail. */
function deltasOf(events: readonly ResponseStreamEvent[], options?: ChatAnswerOptions): ChatChunk['choices'] {
  return chunksOf(events, options).flatMap((chunk) => ('choices' in chunk ? chunk.choices : []))
}

/** The stream and the response of what a model wrote. */
function said(harmony: string, tools: object[] = []): { events: ResponseStreamEvent[]; response: ResponseObject } {
  return run(oneByOne(encodeHarmony(harmony)), { request: { tools: tools as never } })
}

const CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":1}<|call|>'
const F = { type: 'function', name: 'f' }

describe('laws:', () => {
  test('the openai SDK accumulates the chunks to the same answer as without streaming', async () => {
    await fc.assert(
      fc.asyncProperty(anyStream(), endReason, anyOptions, async ({ chunks, setup }, reason, given) => {
        // The SDK keeps the last piece of a field that it does not know.
        const options = { ...given, includeUsage: true, reasoning: 'hidden' } as const
        const { events, response } = run(chunks, setup, reason)
        const whole = structuredClone(toChatCompletion(deepFreeze(response), options))
        // That of version 6 throws at the end of a stream that has one.
        const hasCustomCall = whole.choices.some(({ message }) =>
          message.tool_calls?.some(({ type }) => type === 'custom'),
        )
        if (hasCustomCall && VERSION.startsWith('6.')) return
        // Beside a function_call, it drops what it does not know.
        for (const { message } of whole.choices) if (message.function_call !== undefined) delete message.annotations
        expect(await accumulated(streamed(deepFreeze(events), options))).toEqual(whole)
      }),
      { numRuns: RUNS },
    )
  })

  test('the reasoning of all chunks, in either field, is the reasoning of the answer without streaming', () => {
    fc.assert(
      fc.property(anyStream(), anyOptions, ({ chunks, setup }, options) => {
        const { events, response } = run(chunks, setup)
        const { message } = toChatCompletion(response, options).choices[0] ?? { message: undefined }
        for (const field of ['reasoning', 'reasoning_content'] as const) {
          const text = deltasOf(events, options).map(({ delta }) => delta[field] ?? '')
          expect(text.join('')).toBe(message?.[field] ?? '')
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('the frames of a stream are its chunks, each as encodeSseData writes it', () => {
    const options = fc.record({ includeUsage: fc.boolean(), model: fc.constantFrom('m', '"delta":0') })
    fc.assert(
      fc.property(anyStream(), fc.nat(60), options, fc.option(breaks), (stream, at, options, how) => {
        const { events } = how === null ? run(stream.chunks, stream.setup) : runBroken(stream, at, how)
        const frames = events.map(createChatSseEncoder(options)).join('')
        expect(frames).toBe(chunksOf(events, options).map(encodeSseData).join(''))
      }),
      { numRuns: RUNS },
    )
  })

  test('the chunks do not depend on how the tokens were split', () => {
    const whole = ({ chunks, setup }: { chunks: never; setup: object }): unknown =>
      toChatCompletion(run(chunks, setup).response)
    fc.assert(
      fc.property(anyStream(), ({ chunks, setup }) => {
        expect(whole({ chunks: oneByOne(chunks) as never, setup })).toEqual(whole({ chunks: chunks as never, setup }))
      }),
      { numRuns: runs(50) },
    )
  })

  test('every stream begins with the role and ends with one finish reason', () => {
    fc.assert(
      fc.property(anyStream(), endReason, anyOptions, ({ chunks, setup }, reason, options) => {
        const choices = deltasOf(run(chunks, setup, reason).events, options)
        expect(choices[0]?.delta).toEqual({ role: 'assistant', content: null, refusal: null })
        expect(choices.filter(({ delta }) => 'role' in delta)).toHaveLength(1)
        expect(choices.filter(({ finish_reason }) => finish_reason !== null)).toEqual([choices.at(-1)])
      }),
      { numRuns: RUNS },
    )
  })

  test('a stream that breaks at any token is an APIError in the openai SDK, with the message of the failure', async () => {
    await fc.assert(
      fc.asyncProperty(anyStream(), fc.nat(60), breaks, async (stream, at, how) => {
        const { events, response } = runBroken(stream, at, how)
        const error = await accumulated(streamed(events)).catch((error: unknown) => error)
        expect(error).toBeInstanceOf(APIError)
        expect(error).toMatchObject({ message: WORDS[how], error: toChatError(response).error })
        expect(() => toChatCompletion(response)).toThrow('expected a response that is completed or incomplete')
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })
})

test('a failure with any code ends a stream with the body of an HTTP error, in an event of its own or not', () => {
  const codes = fc.oneof(fc.constantFrom('invalid_prompt', 'rate_limit_exceeded', 'server_is_overloaded'), fc.string())
  fc.assert(
    fc.property(codes, fc.string(), (code, message) => {
      const body = toChatError({ error: { code, message } as never })
      const { type } = body.error
      expect(['invalid_request_error', 'rate_limit_error', 'server_error']).toContain(type)
      const failed = { type: 'response.failed', response: { error: { code, message } } }
      const error = { type: 'error', error: { type: code, code, message, param: null } }
      for (const event of [failed, error]) expect(createChatEncoder()(event as never)).toEqual([body])
    }),
    { numRuns: RUNS },
  )
})

describe('a stream', () => {
  test('a chat stream has the text in the deltas, and nothing of the events around it', () => {
    const { events } = said('<|channel|>final<|message|>Hi there!<|return|>')
    expect(deltasOf(events).slice(1)).toEqual([
      { index: 0, delta: { content: 'Hi' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: ' there' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: '!' }, logprobs: null, finish_reason: null },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ])
  })

  test('a chat answer has the reasoning in reasoning_content alone, unless the options name another field', () => {
    const { events, response } = said(
      '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>',
    )
    expect(deltasOf(events)[1]?.delta).toEqual({ reasoning_content: 'Hm' })
    expect(deltasOf(events, { reasoning: 'both' })[1]?.delta).toEqual({ reasoning_content: 'Hm', reasoning: 'Hm' })
    expect(deltasOf(events, { reasoning: 'reasoning' })[1]?.delta).toEqual({ reasoning: 'Hm' })
    expect(deltasOf(events, { reasoning: 'reasoning_content' })[1]?.delta).toEqual({ reasoning_content: 'Hm' })
    expect(deltasOf(events, { reasoning: 'hidden' })[1]?.delta).toEqual({ content: 'Hi' })
    const message = (options?: ChatAnswerOptions): ChatMessage | undefined =>
      toChatCompletion(response, options).choices[0]?.message
    expect(message()).toMatchObject({ reasoning_content: 'Hm' })
    expect(message()).not.toHaveProperty('reasoning')
    expect(message({ reasoning: 'both' })).toMatchObject({ reasoning_content: 'Hm', reasoning: 'Hm' })
  })

  test('a chat stream has reasoning once where the response shows it as text and as a summary', () => {
    const harmony = '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>'
    for (const reasoning of ['both', 'summary', 'raw'] as const) {
      const { events, response } = run(oneByOne(encodeHarmony(harmony)), { reasoning })
      expect(deltasOf(events).flatMap(({ delta }) => delta.reasoning_content ?? [])).toEqual(['Hm'])
      expect(toChatCompletion(response).choices[0]?.message.reasoning_content).toBe('Hm')
    }
  })

  test('a chat stream begins a call with its id and name, continues with its index alone, and ends for tool_calls', () => {
    const { events, response } = said(CALL, [F])
    const id = (response.output[0] as { call_id: string }).call_id
    const [, first, second, ...rest] = deltasOf(events)
    expect(first?.delta.tool_calls).toEqual([
      { index: 0, id, type: 'function', function: { name: 'f', arguments: '' } },
    ])
    expect(second?.delta.tool_calls).toEqual([{ index: 0, function: { arguments: '{"' } }])
    expect(rest.at(-1)?.finish_reason).toBe('tool_calls')
  })

  test('a chat stream has a call of a custom tool with its input', () => {
    const harmony = '<|channel|>commentary to=functions.apply<|message|>*** Begin<|call|>'
    const { events, response } = said(harmony, [{ type: 'custom', name: 'apply' }])
    const id = (response.output[0] as { call_id: string }).call_id
    expect(deltasOf(events)[1]?.delta.tool_calls).toEqual([
      { index: 0, id, type: 'custom', custom: { name: 'apply', input: '' } },
    ])
    expect(toChatCompletion(response).choices[0]?.message.tool_calls).toEqual([
      { id, type: 'custom', custom: { name: 'apply', input: '*** Begin' } },
    ])
  })

  test('a chat stream has a function_call for clients that declared functions', () => {
    const { events, response } = said(CALL, [F])
    const options = { calls: 'function_call' } as const
    expect(deltasOf(events, options)[1]?.delta).toEqual({ function_call: { name: 'f', arguments: '' } })
    expect(toChatCompletion(response, options).choices[0]).toMatchObject({
      message: { function_call: { name: 'f', arguments: '{"a":1}' } },
      finish_reason: 'function_call',
    })
  })

  test('a chat answer keeps a preamble apart by an empty line, or has it with the reasoning', () => {
    const harmony =
      '<|channel|>commentary<|message|>Wait.<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>'
    const { response } = said(harmony)
    expect(toChatCompletion(response).choices[0]?.message.content).toBe('Wait.\n\n{}')
    expect(toChatCompletion(response, { preambles: 'reasoning' }).choices[0]?.message).toMatchObject({
      content: '{}',
      reasoning_content: 'Wait.',
    })
  })

  test('hostedCalls names the calls that the host ran between the pieces of reasoning, and they are no tool_calls', () => {
    const mcp = { type: 'mcp', server_label: 'acme', require_approval: 'never' }
    const turn = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to='
    const harmony = `${turn}acme.ask<|message|>{}<|call|>`
    const options = { hostedCalls: 'reasoning' } as const
    const { events, response } = said(harmony, [mcp])
    const { message, finish_reason } = toChatCompletion(response, options).choices[0] as {
      message: ChatMessage
      finish_reason: string
    }
    expect([message.reasoning_content, message.tool_calls, finish_reason]).toEqual([
      'Hm.\n\nCalls acme.ask.',
      undefined,
      'stop',
    ])
    const streamed = deltasOf(events, options).map(({ delta }) => delta.reasoning_content ?? '')
    expect(streamed.join('')).toBe('Hm.\n\nCalls acme.ask.')
    const hidden = toChatCompletion(response, { ...options, reasoning: 'hidden' })
    expect(JSON.stringify(hidden)).not.toContain('acme')
  })

  test('a chat stream shows no call that the host ran', () => {
    const mcp = { type: 'mcp', server_label: 'acme', require_approval: 'never' }
    const harmony = '<|channel|>commentary to=acme.ask<|message|>{}<|call|>'
    const { events, response } = said(harmony, [mcp])
    expect(response.output[0]?.type).toBe('mcp_call')
    expect(deltasOf(events).filter(({ delta }) => delta.tool_calls !== undefined)).toEqual([])
    expect(deltasOf(events).at(-1)?.finish_reason).toBe('stop')
  })

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['stop', 'stop'],
  ] as const)('a chat stream that ended for %s finishes with %s', (reason, finish) => {
    const { events } = run(oneByOne(encodeHarmony('<|channel|>final<|message|>Hi')), {}, reason)
    expect(deltasOf(events).at(-1)?.finish_reason).toBe(finish)
  })

  test('a chat stream has the token counts in a chunk without choices, if it is asked to', () => {
    const { events, response } = said('<|channel|>final<|message|>Hi<|return|>')
    const chunks = chunksOf(events, { includeUsage: true }) as ChatChunk[]
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: response.usage?.output_tokens } })
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    expect(chunksOf(events).some((chunk) => 'usage' in chunk)).toBe(false)
  })

  test('a chat stream has the log-probabilities beside the text that they are of', () => {
    const request = { include: ['message.output_text.logprobs'] }
    const ids = encodeHarmony('<|channel|>final<|message|>Hi!<|return|>')
    const tokens = ids.map((id) => ({ id, logprob: -0.5, topLogprobs: [] }))
    const { events, response } = run(tokens as never, { request })
    expect(deltasOf(events).map(({ logprobs }) => logprobs?.content?.map(({ token }) => token))).toEqual([
      undefined,
      ['Hi'],
      ['!'],
      undefined,
    ])
    expect(toChatCompletion(response).choices[0]?.logprobs?.content).toHaveLength(2)
  })

  test('a chat answer has citations by their places in its whole text', () => {
    const annotation = {
      type: 'url_citation' as const,
      url: 'https://a.example',
      title: 'A',
      start_index: 1,
      end_index: 3,
    }
    const { response } = said(
      '<|channel|>commentary<|message|>Wait.<|end|><|start|>assistant<|channel|>final<|message|>Yes<|return|>',
    )
    const [preamble, answer] = response.output as { content: object[] }[]
    const cited = { ...answer, content: [{ ...answer?.content[0], annotations: [annotation] }] }
    const { message } = toChatCompletion({ ...response, output: [preamble, cited] as never }).choices[0] ?? {}
    const { start_index = 0, end_index = 0 } = message?.annotations?.[0]?.url_citation ?? {}
    expect(message?.content?.slice(start_index, end_index)).toBe('es')
  })

  test('a chat stream has its citations beside the finish reason', () => {
    const { events } = said('<|channel|>final<|message|>Yes<|return|>')
    const done = events.findIndex(({ type }) => type === 'response.output_text.done')
    const place = { url: 'https://a.example', title: 'A', start_index: 1, end_index: 3 }
    const annotation = { type: 'url_citation', ...place }
    const cited = { ...events[done], type: 'response.output_text.annotation.added', annotation_index: 0, annotation }
    const deltas = deltasOf(events.toSpliced(done, 0, cited as never))
    expect(deltas.filter(({ delta }) => 'annotations' in delta)).toMatchObject([
      { finish_reason: 'stop', delta: { annotations: [{ type: 'url_citation', url_citation: place }] } },
    ])
  })

  test('a chat answer leaves out citations of files, for which the API has no word', () => {
    const { response } = said('<|channel|>final<|message|>Yes<|return|>')
    const [answer] = response.output as { content: object[] }[]
    const annotations = [{ type: 'file_citation', file_id: 'file-1', filename: 'a.md', index: 1 }]
    const cited = { ...answer, content: [{ ...answer?.content[0], annotations }] }
    const { message } = toChatCompletion({ ...response, output: [cited] as never }).choices[0] ?? {}
    expect(message).not.toHaveProperty('annotations')
  })

  test('a chat stream has chunks as soon as their events came', async () => {
    const { events } = said('<|channel|>final<|message|>Hi<|return|>')
    let taken = 0
    const one = function* (): Generator<ResponseStreamEvent> {
      for (const event of events) {
        taken++
        yield event
      }
    }
    const chunks = toChatChunks(one())
    await chunks.next()
    expect(taken).toBe(1)
    await chunks.return()
  })

  test('a chat stream is the same from batches as from events', async () => {
    const { events } = said('<|channel|>final<|message|>Hi<|return|>')
    expect(await collect(toChatChunks([events]))).toEqual(await collect(toChatChunks(events)))
  })
})

describe('the openai SDK', () => {
  test('the openai SDK reads each chunk of a chat stream as it is', async () => {
    const { events } = said(CALL, [F])
    const client = clientOf(() => streamed(events))
    const body = { model: 'gpt-oss', messages: [{ role: 'user' as const, content: 'hi' }], stream: true as const }
    expect(await collect(await client.chat.completions.create(body))).toEqual(chunksOf(events))
  })

  test('the openai SDK reads the answer without streaming as it is', async () => {
    const completion = toChatCompletion(said(CALL, [F]).response)
    expect(await received(completion)).toEqual(completion)
  })
})

describe('errors are reported at once:', () => {
  const { response, events } = said('<|channel|>final<|message|>Hi<|return|>')
  const error = (code: string, message: string): unknown =>
    expect.objectContaining({ name: 'HarmonyResponsesError', code, message: expect.stringContaining(message) })

  test('a wrong option of a chat function is reported at once', () => {
    expect(() => toChatChunks(events, { reasoning: 'loud' } as never)).toThrow(
      error(
        'bad_option',
        "reasoning: expected one of 'reasoning_content', 'reasoning', 'both', 'hidden', got \"loud\"",
      ),
    )
    expect(() => createChatEncoder({ created: 1.5 })).toThrow(
      error('bad_option', 'created: expected a time in whole seconds, got 1.5'),
    )
    expect(() => toChatCompletion(response, null as never)).toThrow(error('bad_option', 'toChatCompletion: options'))
  })

  test('toChatChunks and toChatCompletion report a value that is not a stream, an event or a response', async () => {
    expect(() => toChatChunks(response as never)).toThrow(error('bad_stream', 'toChatChunks'))
    await expect(collect(toChatChunks([{}] as never))).rejects.toEqual(error('bad_stream', 'an event'))
    await expect(collect(toChatChunks(events.slice(4)))).rejects.toEqual(error('bad_stream', 'response.created first'))
    expect(() => toChatCompletion({} as never)).toThrow(error('bad_stream', 'expected a response'))
  })
})
