import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import { createChatEngine } from '../../src/engines/sources/chat.js'
import { loadTokenTable } from '../../src/index.js'
import { checkEvents } from '../../src/judge/conformance/index.js'
import * as said from './model/scripts.js'
import type { RealServer } from './server.js'

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' }, unit: { type: 'string' } } },
} as const

const textOf = (answer: string): string => /final<\|message\|>(.*)<\|return\|>/.exec(answer)?.[1] ?? ''

/** Tests the engine of Chat Completions on vLLM's own endpoint, which needs a tool parser. */
export function chatRows(vllm: () => RealServer): void {
  describe("the endpoint in front of vLLM's Chat Completions", () => {
    let server: ResponsesServer
    let openai: OpenAI
    const errors: unknown[] = []

    beforeAll(async () => {
      const engine = createChatEngine({ url: vllm().url, preset: 'vllm' })
      const onError = (error: unknown): void => void errors.push(error)
      server = await serveResponses({ engine, tokenTable: await loadTokenTable(), port: 0, onError })
      openai = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0, timeout: 600_000 })
    })
    afterAll(async () => {
      await server?.close({ graceMs: 0 })
    })

    const model = 'gpt-oss'
    /** The last response of a stream without findings of the judge. */
    async function streamed(body: Omit<OpenAI.Responses.ResponseCreateParams, 'stream' | 'model'>) {
      const events: OpenAI.Responses.ResponseStreamEvent[] = []
      for await (const event of await openai.responses.create({ ...body, model, stream: true })) events.push(event)
      expect(checkEvents(events as never).filter(({ severity }) => severity === 'error')).toEqual([])
      return (events.at(-1) as { response: OpenAI.Responses.Response }).response
    }

    test.each([said.hello, said.months, said.emoji])('an answer is the text that the model wrote: %j', async (turn) => {
      const { output, status, usage } = await streamed({ input: said.questionOf(turn) })
      expect([status, errors]).toEqual(['completed', []])
      expect(output).toMatchObject([{ type: 'message', content: [{ text: textOf(turn.answer) }] }])
      expect(usage?.input_tokens).toBeGreaterThan(10)
      expect(usage?.output_tokens).toBeGreaterThan(3)
    })

    test('a call goes round, with its reasoning', async () => {
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: said.questionOf(said.weather) }]
      const first = await streamed({ input, tools: [WEATHER] })
      expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
      const asked = first.output.find((item) => item.type === 'function_call')
      expect(JSON.parse(asked?.arguments ?? '')).toEqual({ city: 'Paris', unit: 'celsius' })
      input.push(...(first.output as OpenAI.Responses.ResponseInput))
      const output = '{"degrees":21,"sky":"clear"}'
      input.push({ type: 'function_call_output', call_id: asked?.call_id ?? '', output })
      const second = await streamed({ input, tools: [WEATHER] })
      expect(second.output_text ?? JSON.stringify(second.output)).toContain(textOf(said.afterWeather.answer))
    })

    test('a limit leaves a response incomplete', async () => {
      const response = await streamed({ input: said.questionOf(said.endless), max_output_tokens: 20 })
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    })

    test('a limit beyond the context is no error', async () => {
      const { status } = await streamed({ input: said.questionOf(said.hello), max_output_tokens: 100_000 })
      expect(status).toBe('completed')
    })

    test('an input that is too long is refused with the code of the API', async () => {
      const input = 'word '.repeat(5000)
      await expect(openai.responses.create({ model, input })).rejects.toMatchObject({
        ...{ status: 400, code: 'context_length_exceeded' },
      })
    })
  })
}

/** Tests it on a model whose chat template refuses what many do. What it writes is at random, up to a limit. */
export function strictTemplateRows(vllm: () => RealServer): void {
  describe('the endpoint in front of Chat Completions with a strict template', () => {
    test('takes whatever conversation a client sends', async () => {
      const engine = createChatEngine({ url: vllm().url, preset: 'vllm' })
      const server = await serveResponses({ engine, tokenTable: await loadTokenTable(), port: 0 })
      const ask = async (path: string, body: object): Promise<unknown> => {
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(`${server.url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        return [response.status, await response.json()]
      }
      const call = { type: 'function_call', call_id: 'call_1', name: 'get_weather' }
      try {
        const input = [
          { role: 'user', content: 'Hi' },
          { role: 'user', content: 'Are you there?' },
          { role: 'developer', content: 'Now be brief.' },
          { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
          { role: 'assistant', content: 'Let me look.', phase: 'commentary' },
          { ...call, arguments: '{"city": "Ro' },
          { ...call, call_id: 'call_2', arguments: '{"city": "Rome"}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'no such city' },
          { type: 'function_call_output', call_id: 'call_2', output: 'sunny' },
        ]
        const body = { model: 'gpt-oss', tools: [WEATHER], max_output_tokens: 16 }
        expect(await ask('/responses', { ...body, instructions: 'Be kind.', input })).toEqual([
          200,
          expect.objectContaining({ object: 'response', usage: expect.objectContaining({ output_tokens: 16 }) }),
        ])
        const messages = [
          { role: 'user', content: 'Hi' },
          { role: 'system', content: 'Now be brief.' },
          { role: 'user', content: 'Well?' },
        ]
        const claude = { model: 'gpt-oss', max_tokens: 16, system: 'Be kind.', messages }
        expect(await ask('/messages', claude)).toEqual([200, expect.objectContaining({ type: 'message' })])
      } finally {
        await server.close({ graceMs: 0 })
      }
    })
  })
}
