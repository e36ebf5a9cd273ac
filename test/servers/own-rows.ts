import OpenAI from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import * as said from './model/scripts.js'
import type { RealServer } from './server.js'

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 40 }, unit: { enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
} as const
const WEATHER = { type: 'function', name: 'get_weather', parameters: PARAMETERS, strict: true } as const

/** Whether a text is JSON as `PARAMETERS` has it. */
function isWeather(text: string | undefined): boolean {
  try {
    const { city, unit } = JSON.parse(text ?? '')
    return typeof city === 'string' && ['celsius', 'fahrenheit'].includes(unit)
  } catch {
    return false
  }
}

/** How a vLLM is started: what of its own endpoint depends on it. */
export interface OwnStart {
  /** Whether it has a `--tool-call-parser`. */
  readonly hasParser: boolean
  readonly backend: 'xgrammar' | 'guidance'
}

/** A body under xgrammar of a model that is sure of nothing. */
const WHITE_SPACE = /^\{\s{20,}$/

/**
 * The answers of vLLM's own `/v1/responses` to the requests of `served-rows.ts`: the left column of the table in
 * docs/migrate.md.
 */
export function ownRows(server: () => RealServer, { hasParser, backend }: OwnStart): void {
  const start = `with${hasParser ? '' : 'out'} a tool parser, on ${backend}`
  describe(`vLLM's own endpoint ${start}`, () => {
    const model = 'gpt-oss'
    let openai: OpenAI
    beforeAll(() => {
      openai = new OpenAI({ apiKey: 'none', baseURL: `${server().url}/v1`, maxRetries: 0, timeout: 600_000 })
    })
    const answerTo = (turn: Pick<said.Turn, 'prompt'>, body: Omit<OpenAI.Responses.ResponseCreateParams, 'stream'>) =>
      openai.responses.create({ model, input: said.questionOf(turn), max_output_tokens: 60, ...body })
    const callsOf = ({ output }: OpenAI.Responses.Response) => output.filter((item) => item.type === 'function_call')

    describe.each([['required'], [{ type: 'function', name: 'get_weather' }]] as const)('%j', (tool_choice) => {
      const asked = () => answerTo(said.hello, { tools: [WEATHER], tool_choice })
      test(`vLLM's own endpoint ${start} ${demanded()}`, async () => {
        if (hasParser && backend === 'guidance') await expect(asked()).rejects.toMatchObject({ status: 400 })
        else if (hasParser) expect(callsOf(await asked())).toMatchObject([{ name: 'get_weather' }])
        else expect((await asked()).output).toMatchObject([{ type: 'message' }])
      })
    })

    function demanded(): string {
      if (!hasParser) return 'answers in text where a call is demanded'
      return backend === 'guidance' ? 'refuses a request that demands a call' : 'makes a call that is demanded'
    }

    test(`vLLM's own endpoint ${start} ${strictly()}`, async () => {
      const asked = answerTo(said.freeCall, { tools: [{ ...WEATHER, name: 'emit' }] })
      if (hasParser && backend === 'guidance') await expect(asked).rejects.toMatchObject({ status: 400 })
      else {
        const { status, output } = await asked
        const [call] = output.filter((item) => item.type === 'function_call')
        expect(call).toMatchObject({ name: 'emit' })
        if (hasParser) expect([status, call?.arguments]).toEqual(['incomplete', expect.stringMatching(WHITE_SPACE)])
        else expect([status, isWeather(call?.arguments)]).toEqual(['completed', false])
      }
    })

    function strictly(): string {
      if (!hasParser) return 'does not enforce the schema of a strict function'
      return backend === 'guidance'
        ? 'refuses a strict function'
        : 'enforces a strict function, with white space up to the limit'
    }

    test(`vLLM's own endpoint ${start} ${backend === 'guidance' ? 'refuses a strict format' : 'enforces a strict format, with white space up to the limit'}`, async () => {
      const format = { type: 'json_schema', name: 'weather', schema: PARAMETERS, strict: true } as const
      const asked = answerTo(said.prose, { text: { format } })
      if (backend === 'guidance') await expect(asked).rejects.toMatchObject({ status: 400 })
      else {
        const { status, output_text } = await asked
        expect([status, output_text]).toEqual(['incomplete', expect.stringMatching(WHITE_SPACE)])
      }
    })

    // What follows does not depend on the start: one is enough.
    if (!hasParser || backend === 'guidance') return

    test("vLLM's own endpoint forgets its responses", async () => {
      const { id } = await openai.responses.create({ model, input: said.questionOf(said.hello) })
      const next = openai.responses.create({ model, input: 'More.', previous_response_id: id })
      await expect(next).rejects.toMatchObject({ status: 404 })
    })

    test("vLLM's own endpoint gives its messages to a client that asks for them", async () => {
      const body = { model, input: said.questionOf(said.hello), enable_response_messages: true }
      expect(await openai.responses.create(body)).toMatchObject({ output_messages: [{}] })
    })

    test("vLLM's own endpoint shows the markers of a malformed header as text", async () => {
      const { output_text } = await openai.responses.create({ model, input: said.questionOf(said.malformed) })
      expect(output_text).toContain('<|start|>assistant')
    })

    test("vLLM's own endpoint has no log-probabilities", async () => {
      const include = ['message.output_text.logprobs' as const]
      const asked = openai.responses.create({ model, input: said.questionOf(said.hello), include, top_logprobs: 3 })
      await expect(asked).rejects.toMatchObject({ status: 400 })
    })

    test("vLLM's own endpoint completes a response that the limit of tokens ended", async () => {
      const body = { model, input: said.questionOf(said.endless), max_output_tokens: 20, stream: true as const }
      const types: string[] = []
      for await (const { type } of await openai.responses.create(body)) types.push(type)
      expect(types.at(-1)).toBe('response.completed')
    })

    test("vLLM's own endpoint refuses an input that is too long without the code of the API", async () => {
      const error = await openai.responses.create({ model, input: 'word '.repeat(5000) }).catch((thrown) => thrown)
      expect(error).toMatchObject({ status: 400 })
      expect(error.code).not.toBe('context_length_exceeded')
    })
  })
}
