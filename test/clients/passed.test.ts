import { createOpenAI } from '@ai-sdk/openai'
import { OpenAIEmbeddings } from '@langchain/openai'
import { embed, streamText } from 'ai'
import OpenAI from 'openai'
import OpenAI6 from 'openai-6'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bearerKeys } from '../../src/endpoint/server/index.js'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import { PASSED_PATHS } from '../../src/engines/contract/engine-server.js'
import { loadTokenTable } from '../../src/index.js'
import { json, type Upstream, upstream } from '../endpoint/server/passed-upstream.js'

const VECTOR = [0.25, -0.5, 1]
const KEY = 'the-key-of-the-endpoint'
const ENGINE_KEY = 'the-key-of-the-engine'
const SSE = { 'content-type': 'text/event-stream' }

let server: ResponsesServer
let engine: Upstream

beforeEach(async () => {
  engine = await upstream(
    (response, asked, reached) => {
      const { stream, encoding_format: form, prompt } = reached.json
      if (prompt === 'too long') {
        const error = {
          message: "This model's maximum context length is 9 tokens.",
          type: 'BadRequestError',
          code: 400,
        }
        return json({ error }, 400)(response, asked, reached)
      }
      if (stream === true) {
        const frame = (text: string, finish_reason: string | null) => {
          const choice = { index: 0, text, logprobs: null, finish_reason }
          return `data: ${JSON.stringify({ id: 'c', object: 'text_completion', created: 1, model: 'm', choices: [choice] })}\n\n`
        }
        response.writeHead(200, SSE)
        for (const text of ['The capital', ' is ', 'Paris']) response.write(frame(text, null))
        return void response.end(`${frame('.', 'stop')}data: [DONE]\n\n`)
      }
      const packed = Buffer.from(new Float32Array(VECTOR).buffer).toString('base64')
      const embedding = form === 'base64' ? packed : VECTOR
      const usage = { prompt_tokens: 1, total_tokens: 1 }
      return json({ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding }], usage })(
        ...([response, asked, reached] as const),
      )
    },
    { apiKey: ENGINE_KEY },
  )
  server = await serveResponses({
    ...{ engine: engine.engine, tokenTable: await loadTokenTable(), port: 0 },
    onError: () => {},
    authorize: bearerKeys({ [KEY]: 'alice' }),
    passOn: { server: engine.engine.server, paths: PASSED_PATHS },
  })
})
afterEach(async () => await server.close({ graceMs: 0 }))

/** What every client has to have sent, whatever it adds. */
function expectPassed(path: string): void {
  expect(engine.reached).toMatchObject([
    { url: path, headers: { authorization: `Bearer ${ENGINE_KEY}` }, json: { model: 'openai/gpt-oss-20b' } },
  ])
  expect(JSON.stringify(engine.reached)).not.toContain(KEY)
}

const model = 'gpt-oss'
const baseURL = (): string => `${server.url}/v1`

describe.each([
  ['openai 7', () => new OpenAI({ baseURL: baseURL(), apiKey: KEY, maxRetries: 0 })],
  ['openai 6', () => new OpenAI6({ baseURL: baseURL(), apiKey: KEY, maxRetries: 0 }) as unknown as OpenAI],
])('%s', (_, client) => {
  test('embeds a text', async () => {
    const { data } = await client().embeddings.create({ model, input: 'Hi' })
    expect(data[0]?.embedding).toEqual(VECTOR)
    expectPassed('/v1/embeddings')
  })

  test('streams a completion', async () => {
    let text = ''
    for await (const { choices } of await client().completions.create({ model, prompt: 'Where?', stream: true })) {
      text += choices[0]?.text
    }
    expect(text).toBe('The capital is Paris.')
    expectPassed('/v1/completions')
  })

  test('has the refusal of the engine', async () => {
    const asked = client().completions.create({ model, prompt: 'too long' })
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' })
  })
})

test('the AI SDK embeds a text', async () => {
  const { embedding } = await embed({
    model: createOpenAI({ baseURL: baseURL(), apiKey: KEY }).embedding(model),
    value: 'Hi',
  })
  expect(embedding).toEqual(VECTOR)
  expectPassed('/v1/embeddings')
})

test('the AI SDK streams a completion', async () => {
  const { textStream } = streamText({
    model: createOpenAI({ baseURL: baseURL(), apiKey: KEY }).completion(model),
    prompt: 'Where?',
  })
  let text = ''
  for await (const piece of textStream) text += piece
  expect(text).toBe('The capital is Paris.')
  expectPassed('/v1/completions')
})

test('LangChain embeds a question', async () => {
  const embeddings = new OpenAIEmbeddings({ model, apiKey: KEY, configuration: { baseURL: baseURL() } })
  expect(await embeddings.embedQuery('Hi')).toEqual(VECTOR)
  expectPassed('/v1/embeddings')
})
