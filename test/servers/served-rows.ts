import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import { PASSED_PATHS, type ServedEngine } from '../../src/engines/contract/engine-server.js'
import { loadTokenTable } from '../../src/index.js'
import { checkEvents } from '../../src/judge/conformance/index.js'
import * as said from './model/scripts.js'

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 40 }, unit: { enum: ['celsius', 'fahrenheit'] } },
    required: ['city', 'unit'],
    additionalProperties: false,
  },
} as const
const LIST_FILES = { type: 'function', name: 'list_files', parameters: { type: 'object' }, strict: false } as const

const textOf = (answer: string): string => /final<\|message\|>(.*)<\|return\|>/.exec(answer)?.[1] ?? ''

/** Tests the endpoint with a real server. @param running - how many calls it works on */
export function servedRows(name: string, engine: () => ServedEngine, running: () => Promise<number>): void {
  describe(`the endpoint in front of ${name}`, () => {
    let server: ResponsesServer
    let openai: OpenAI
    const errors: unknown[] = []

    beforeAll(async () => {
      const tokenTable = await loadTokenTable()
      const onError = (error: unknown): void => void errors.push(error)
      // Scripts follow a prompt's last tokens, which a date would not change.
      const given = engine()
      const passOn = { server: given.server, paths: PASSED_PATHS }
      server = await serveResponses({ engine: given, passOn, tokenTable, port: 0, onError })
      openai = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0, timeout: 600_000 })
    })
    afterAll(async () => {
      await server?.close({ graceMs: 0 })
    })

    const model = 'gpt-oss'
    /** The events of a stream without findings of the judge, and its final response. */
    async function streamed(body: Omit<OpenAI.Responses.ResponseCreateParams, 'stream' | 'model'>) {
      const events: OpenAI.Responses.ResponseStreamEvent[] = []
      for await (const event of await openai.responses.create({ ...body, model, stream: true })) events.push(event)
      expect(checkEvents(events as never).filter(({ severity }) => severity === 'error')).toEqual([])
      const last = events.at(-1) as { response: OpenAI.Responses.Response }
      return last.response
    }

    test.each([said.hello, said.months, said.emoji])('an answer is the text that the model wrote: %j', async (turn) => {
      const { output, status } = await streamed({ input: said.questionOf(turn) })
      expect(status).toBe('completed')
      expect(output).toMatchObject([{ type: 'message', content: [{ text: textOf(turn.answer) }] }])
    })

    test.each([true, false])('a call goes round: strict %s', async (strict) => {
      const tools = [{ ...WEATHER, strict }]
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: said.questionOf(said.weather) }]
      const first = await streamed({ input, tools })
      expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
      const asked = first.output.find((item) => item.type === 'function_call')
      expect(JSON.parse(asked?.arguments ?? '')).toEqual({ city: 'Paris', unit: 'celsius' })
      input.push(...(first.output as OpenAI.Responses.ResponseInput))
      const output = '{"degrees":21,"sky":"clear"}'
      input.push({ type: 'function_call_output', call_id: asked?.call_id ?? '', output })
      const second = await openai.responses.create({ model, input, tools })
      expect(second.output_text).toBe(textOf(said.afterWeather.answer))
      expect(second.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(0)
    })

    test('words before a call are a message', async () => {
      const { output } = await streamed({ input: said.questionOf(said.files), tools: [LIST_FILES] })
      expect(output).toMatchObject([
        { type: 'message', content: [{ text: 'Let me have a look at your folder.' }] },
        { type: 'function_call', name: 'list_files', arguments: '{"path":"~"}' },
      ])
    })

    test('a malformed header is mended', async () => {
      const { output } = await streamed({ input: said.questionOf(said.malformed) })
      expect(output.at(-1)).toMatchObject({ type: 'message', content: [{ text: 'The number is 42.' }] })
    })

    test.each(['required', { type: 'function', name: 'get_weather' }] as const)(
      'a call that is demanded is made, with arguments that are valid: %j',
      async (tool_choice) => {
        const tools = [{ ...WEATHER, strict: true }]
        const body = { input: said.questionOf(said.hello), tools, tool_choice, max_output_tokens: 300 }
        const { output, status } = await streamed(body)
        expect([status, output.at(-1)?.type]).toEqual(['completed', 'function_call'])
        const { arguments: given } = output.at(-1) as { arguments: string }
        expect(Object.keys(JSON.parse(given) as object)).toEqual(['city', 'unit'])
      },
    )

    test('an answer in a format is JSON, whatever the model would say', async () => {
      const { parameters: schema } = WEATHER
      const format = { type: 'json_schema', name: 'place', schema, strict: true } as const
      const answer = await openai.responses.create({ model, input: said.questionOf(said.prose), text: { format } })
      expect(Object.keys(JSON.parse(answer.output_text) as object)).toEqual(['city', 'unit'])
    })

    test('log-probabilities are those of the text', async () => {
      const include = ['message.output_text.logprobs'] as const
      const body = { input: said.questionOf(said.hello), include: [...include], top_logprobs: 3 }
      const { output } = await streamed(body)
      const [part] = (output.at(-1) as OpenAI.Responses.ResponseOutputMessage).content
      const logprobs = part?.type === 'output_text' ? (part.logprobs ?? []) : []
      expect(logprobs.map(({ token }) => token).join('')).toBe(textOf(said.hello.answer))
    })

    test('a limit leaves a response incomplete', async () => {
      const response = await streamed({ input: said.questionOf(said.endless), max_output_tokens: 20 })
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    })

    test('an input that is too long is refused with the code of the API', async () => {
      const input = 'word '.repeat(5000)
      await expect(openai.responses.create({ model, input })).rejects.toMatchObject({
        ...{ status: 400, code: 'context_length_exceeded' },
      })
    })

    test('twenty clients at once have each its own answer', async () => {
      const turns = Array.from({ length: 20 }, (_, nth) => said.colours[nth % said.colours.length] ?? said.hello)
      const answers = await Promise.all(
        turns.map(async (turn) => await openai.responses.create({ model, input: said.questionOf(turn) })),
      )
      expect(answers.map(({ output_text }) => output_text)).toEqual(turns.map(({ answer }) => textOf(answer)))
    })

    test('clients that leave in mid-stream do not disturb the others, and leave the engine idle', async () => {
      const endless = { model, input: said.questionOf(said.endless), max_output_tokens: 3000, store: false }
      const leave = async (): Promise<void> => {
        for await (const { type } of await openai.responses.create({ ...endless, stream: true })) {
          if (type.endsWith('.delta')) return
        }
      }
      const turns = said.colours.slice(0, 8)
      const stay = turns.map(async (turn) => await streamed({ input: said.questionOf(turn) }))
      await Promise.all(Array.from({ length: 12 }, leave))
      const answers = await Promise.all(stay)
      expect(answers.map(({ output }) => output.at(-1))).toMatchObject(
        turns.map(({ answer }) => ({ content: [{ text: textOf(answer) }] })),
      )
      // Counted in answers, not in time: one takes some ten steps of the engine, and a call that went on would take 3,000.
      for (let answered = 0; (await running()) > 0; answered++) {
        expect(answered).toBeLessThan(100)
        await streamed({ input: said.questionOf(said.hello) })
      }
    })

    test('a completion is passed on, as a stream and whole, for the name of the endpoint', async () => {
      const asked = { model, prompt: 'Hi', max_tokens: 8, temperature: 0 }
      const whole = await openai.completions.create(asked)
      expect(whole.usage?.completion_tokens).toBeGreaterThan(0)
      let text = ''
      let reason: string | null = null
      for await (const { choices } of await openai.completions.create({ ...asked, stream: true })) {
        text += choices[0]?.text ?? ''
        reason = choices[0]?.finish_reason ?? reason
      }
      expect([text, reason]).toEqual([whole.choices[0]?.text, whole.choices[0]?.finish_reason])
    })

    test('a text is passed on to the tokenizer', async () => {
      // llama-server calls the text by another name.
      const body = JSON.stringify({ model, prompt: 'Hello', content: 'Hello' })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${server.url}/tokenize`, { method: 'POST', headers, body })
      expect([answer.status, await answer.json()]).toMatchObject([200, { tokens: [expect.any(Number)] }])
    })

    test('nothing of all this was an error of the host', () => {
      expect(errors).toEqual([])
    })
  })
}
