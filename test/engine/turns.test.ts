import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLlamaCppEngine, type LlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { encodeHarmony } from '../support/tokens.js'
import { drain, type Streamed, streamed } from './drain.js'
import { cpuLlama, models } from './model.js'
import {
  afterCall,
  call,
  endless,
  endlessText,
  longAnswer,
  malformed,
  plainAnswer,
  preamble,
  splitEmoji,
  type Turn,
} from './scripts.js'

const llama = await cpuLlama()
let engine: LlamaCppEngine

beforeAll(async () => {
  engine = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 256 })
})

afterAll(() => llama.dispose())

const request = {
  tools: ['get_weather', 'list_files'].map((name) => ({ type: 'function', name, parameters: null, strict: null })),
} as const

function respond({ prompt }: Turn, maxTokens?: number): Promise<Streamed> {
  const options = maxTokens === undefined ? {} : { maxTokens }
  return streamed(engine.generate(encodeHarmony(prompt), options), { request })
}

describe('the tokens of a model', () => {
  test.for([
    ['a plain answer', plainAnswer],
    ['reasoning and a call', call],
    ['the answer after a call', afterCall],
    ['a preamble and a call', preamble],
    ['malformed Harmony', malformed],
    ['an emoji over several tokens', splitEmoji],
    ['a long answer', longAnswer],
  ] as const)(
    'the tokens of a model come as they were sampled, the stop token last: %s',
    async ([, { prompt, answer }]) => {
      const { ids, end } = await drain(engine.generate(encodeHarmony(prompt)))
      expect(ids).toEqual(encodeHarmony(answer))
      expect(end?.reason).toBe('stop')
    },
  )

  test('the tokens of a model end with the counts of the prompt', async () => {
    const prompt = encodeHarmony(plainAnswer.prompt)
    await drain(engine.generate(prompt))
    // The engine has all of it, but has to evaluate a token to say the next.
    const { end } = await drain(engine.generate(prompt))
    expect(end?.usage).toEqual({ inputTokens: prompt.length, cachedTokens: prompt.length - 1 })
  })
})

describe('a response of the engine', () => {
  test('a response of the engine is a plain answer', async () => {
    const { response } = await respond(plainAnswer)
    expect(response.status).toBe('completed')
    expect(response.output).toMatchObject([
      { type: 'message', phase: 'final_answer', content: [{ text: 'Hello, world! How are you today?' }] },
    ])
    expect(response.usage).toMatchObject({
      input_tokens: encodeHarmony(plainAnswer.prompt).length,
      output_tokens: encodeHarmony(plainAnswer.answer).length,
    })
  })

  test('a response of the engine is reasoning and a call', async () => {
    const { response, diagnostics } = await respond(call)
    expect(response.status).toBe('completed')
    expect(response.output).toMatchObject([
      { type: 'reasoning', content: [{ text: 'The user asks about the weather, so I call the tool.' }] },
      { type: 'function_call', name: 'get_weather', arguments: '{"city":"Paris","unit":"celsius"}' },
    ])
    expect(diagnostics).toEqual([])
  })

  test('a response of the engine continues after the call, and evaluates only new tokens', async () => {
    await respond(call)
    const { response } = await respond(afterCall)
    expect(response.output).toMatchObject([{ content: [{ text: 'It is 21 °C in Paris, and the sky is clear.' }] }])
    // All but the `<|call|>`, which ended the turn before the engine evaluated it.
    const seen = encodeHarmony(call.prompt + call.answer).length - 1
    expect(response.usage?.input_tokens_details.cached_tokens).toBe(seen)
  })

  test('a response of the engine is a preamble and a call', async () => {
    const { response, diagnostics } = await respond(preamble)
    expect(response.output).toMatchObject([
      { type: 'message', phase: 'commentary', content: [{ text: 'Let me have a look at your folder.' }] },
      { type: 'function_call', name: 'list_files', arguments: '{"path":"~"}' },
    ])
    expect(diagnostics).toEqual([])
  })

  test('a response of the engine is repaired if the model writes malformed Harmony', async () => {
    const { response, diagnostics } = await respond(malformed)
    expect(response.status).toBe('completed')
    expect(response.output).toMatchObject([
      { type: 'reasoning', content: [{ text: 'Easy.' }] },
      { type: 'message', content: [{ text: 'The number is 42.' }] },
    ])
    expect(diagnostics).toMatchObject([{ code: 'missing_message' }])
  })

  test('a response of the engine has an emoji of three tokens in one piece', async () => {
    const { events } = await respond(splitEmoji)
    const texts = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
    expect(texts.join('')).toBe('Look: 🌦️ all of them.')
    expect(texts.filter((text) => text.includes('\ufffd'))).toEqual([])
    expect(texts.filter((text) => text.includes('🌦'))).toHaveLength(1)
  })

  test('a response of the engine is incomplete if it reached its limit', async () => {
    const { response } = await respond(longAnswer, 10)
    expect(response.status).toBe('incomplete')
    expect(response.incomplete_details).toEqual({ reason: 'max_output_tokens' })
    expect(response.usage?.output_tokens).toBe(10)
    expect(response.output).toMatchObject([
      { status: 'incomplete', content: [{ text: 'January, February, March, April' }] },
    ])
  })

  test('a response of the engine is incomplete if its context is full', async () => {
    const { response } = await respond(endless, 2 * engine.contextSize)
    expect(response.incomplete_details).toEqual({ reason: 'max_output_tokens' })
    expect(response.usage?.total_tokens).toBe(engine.contextSize)
    const [message] = response.output
    const [part] = message?.type === 'message' ? message.content : []
    const text = part?.type === 'output_text' ? part.text : ''
    // The beginning was never dropped to make room: nothing is missing or repeated.
    expect(text).toBe(endlessText(20).slice(0, text.length))
  })

  test('a response of the engine fails if the prompt does not fit, with an error that clients know', async () => {
    const prompt = Array.from({ length: engine.contextSize }, () => 1)
    const { response } = await streamed(engine.generate(prompt))
    expect(response.status).toBe('failed')
    expect(response.error?.code).toBe('context_length_exceeded')
  })
})
