import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { type ResponsesServer, serveResponses } from '../../src/endpoint/server/node.js'
import { createLlamaCppEngine, type LlamaCppEngine } from '../../src/engines/sources/llama-cpp.js'
import { collectResponse, translate } from '../../src/index.js'
import { encodeHarmony } from '../support/tokens.js'
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
  questionOf,
  splitEmoji,
} from './scripts.js'

const llama = await cpuLlama()
let engine: LlamaCppEngine
let server: ResponsesServer
let openai: OpenAI

beforeAll(async () => {
  engine = await createLlamaCppEngine({ modelPath: models.sure, llama, contextSize: 512 })
  server = await serveResponses({ engine, tokenTable: await loadTokenTable(), port: 0, onError: () => {} })
  openai = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/v1`, maxRetries: 0 })
})

afterAll(async () => {
  await server.close()
  await llama.dispose()
})

const question = (content: string): OpenAI.Responses.ResponseInputItem[] => [{ role: 'user', content }]

test('the OpenAI SDK runs a tool loop of two turns over HTTP, and every token comes out of the engine', async () => {
  const tools: OpenAI.Responses.FunctionTool[] = [
    { type: 'function', name: 'get_weather', parameters: { type: 'object' }, strict: false },
  ]
  const input = question(questionOf(call))

  const first = await openai.responses.stream({ model: 'gpt-oss', input, tools }).finalResponse()
  expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
  const asked = first.output.find((item) => item.type === 'function_call')
  expect(asked).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris","unit":"celsius"}' })

  const output = JSON.stringify({ degrees: 21, sky: 'clear' })
  input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]))
  input.push({ type: 'function_call_output', call_id: asked?.call_id ?? '', output })
  const second = await openai.responses.stream({ model: 'gpt-oss', input, tools }).finalResponse()
  expect(second.output_text).toBe('It is 21 °C in Paris, and the sky is clear.')
  const { usage } = first
  // All of the first turn but its last token, which was sampled and never evaluated.
  const cached = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) - 1
  expect(second.usage).toMatchObject({
    input_tokens_details: { cached_tokens: cached },
    output_tokens: encodeHarmony(afterCall.answer).length,
  })
})

test.for([
  ['a plain answer', plainAnswer],
  ['a preamble and a call', preamble],
  ['malformed Harmony', malformed],
  ['an emoji over several tokens', splitEmoji],
  ['a long answer', longAnswer],
] as const)("the endpoint returns the model's output: %s", async ([, turn]) => {
  const tools = ['get_weather', 'list_files'].map((name) => ({
    ...({ type: 'function', parameters: { type: 'object' }, strict: false } as const),
    name,
  }))
  const input = question(questionOf(turn))
  const { output, status } = await openai.responses.stream({ model: 'gpt-oss', input, tools }).finalResponse()
  const tokenTable = await loadTokenTable()
  const expected = await collectResponse(translate(encodeHarmony(turn.answer), { request: { tools }, tokenTable }))
  expect(status).toBe('completed')
  expect(output.map(said)).toEqual(expected.output.map(said))
})

/** An item's content, without its ids. */
function said(item: object): unknown {
  const { type, content, name, arguments: given } = item as { readonly [field: string]: unknown }
  const texts = ((content ?? []) as readonly { readonly text: string }[]).map(({ text }) => text)
  return { type, texts, name, given }
}

test('a client that goes away frees the engine for the next', async () => {
  const stream = await openai.responses.create({
    model: 'gpt-oss',
    input: question(questionOf(endless)),
    stream: true,
  })
  let deltas = 0
  for await (const event of stream) if (event.type === 'response.output_text.delta' && ++deltas === 5) break
  const next = await openai.responses
    .stream({ model: 'gpt-oss', input: question(questionOf(plainAnswer)) })
    .finalResponse()
  expect(next.output_text).toBe('Hello, world! How are you today?')
})

test('a prompt that does not fit fails the response, with the code that OpenAI gives', async () => {
  const input = question(`${'word '.repeat(600)}${questionOf(plainAnswer)}`)
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  const read = async (): Promise<void> => {
    for await (const event of await openai.responses.create({ model: 'gpt-oss', input, stream: true }))
      events.push(event)
  }
  await expect(read()).rejects.toMatchObject({ code: 'context_length_exceeded' })
})

test("the engine follows the request's options", async () => {
  const request = {
    model: 'gpt-oss',
    input: question(questionOf(endless)),
    temperature: 0,
    max_output_tokens: 30,
  }
  const response = await openai.responses.stream(request).finalResponse()
  expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  expect(response.usage?.output_tokens).toBe(30)
})

test('a response is incomplete when the context of the engine is full, and has lost nothing of its beginning', async () => {
  const request = { model: 'gpt-oss', input: question(questionOf(endless)), temperature: 0 }
  const response = await openai.responses.stream(request).finalResponse()
  expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  expect(response.usage?.total_tokens).toBe(engine.contextSize)
  expect(endlessText(40)).toContain(response.output_text)
  expect(response.output_text).toMatch(/^Here I go:/)
})

test('a response has the log-probabilities that the request asks for', async () => {
  const { output, output_text } = await openai.responses
    .stream({
      model: 'gpt-oss',
      input: question(questionOf(plainAnswer)),
      include: ['message.output_text.logprobs'],
      top_logprobs: 2,
      temperature: 0,
    })
    .finalResponse()
  const [message] = output
  const [part] = message?.type === 'message' ? message.content : []
  const logprobs = part?.type === 'output_text' ? (part.logprobs ?? []) : []
  expect(logprobs.map(({ token }) => token).join('')).toBe(output_text)
  for (const { token, top_logprobs: top } of logprobs) expect([top.length, top[0]?.token]).toEqual([2, token])
})

test('a strict format constrains a model that prefers other output', async () => {
  const properties = { city: { enum: ['Naples', 'Rome'] }, count: { enum: [1, 2] } }
  const schema = { type: 'object', properties, required: ['city', 'count'], additionalProperties: false }
  const response = await openai.responses
    .stream({
      model: 'gpt-oss',
      input: question(questionOf(plainAnswer)),
      text: { format: { type: 'json_schema', name: 'city', strict: true, schema } },
      max_output_tokens: 100,
    })
    .finalResponse()
  expect(response.status).toBe('completed')
  const said = JSON.parse(response.output_text)
  expect(Object.keys(said)).toEqual(['city', 'count'])
  expect([properties.city.enum.includes(said.city), properties.count.enum.includes(said.count)]).toEqual([true, true])
})
