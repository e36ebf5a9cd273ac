import { describe, expect, test } from 'vitest'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { answer, call, scriptedEngine } from '../../../src/testing/index.js'
import { type Endpoint, endpoint, tokenTable } from './endpoint.js'

/** More than the arguments that a call of JavaScript takes, which are some 125,000. */
const TOKENS = 200_000
/** One token for each word. */
const LONG = ' a'.repeat(TOKENS)

const F = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false } as const
const CALL = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: LONG }
const QUESTION = { role: 'user', content: 'Go.' }
const SEARCH = { type: 'web_search' }
const searching: Tool = { answers: ({ type }) => type === 'web_search_call', run: async () => ({ output: LONG }) }

/** A model that calls once and then answers, in a context of this length. */
function served(contextLength: number, script = [call('functions.f', {}), answer('Done.')]): Endpoint {
  return endpoint(scriptedEngine(script, { tokenTable, contextLength }), { tools: [searching] })
}

/** The client's ways to send the result of a call that it ran: each answers with its status, code and text. */
const WAYS: readonly [what: string, ask: (server: Endpoint, options?: object) => Promise<readonly unknown[]>][] = [
  [
    'in the input of the Responses API',
    async (server, options) => {
      await server.create({ input: 'Go.', tools: [F] })
      const { status, body } = await server.create({ input: [QUESTION, CALL, OUTPUT], tools: [F], ...options })
      return [status, body.error?.code, body.output?.at(-1).content[0].text]
    },
  ],
  [
    'after a response that is stored',
    async (server, options) => {
      const { body: first } = await server.create({ input: 'Go.', tools: [F] })
      const output = { ...OUTPUT, call_id: first.output.at(-1).call_id }
      const asked = { previous_response_id: first.id, input: [output], tools: [F], ...options }
      const { status, body } = await server.create(asked)
      return [status, body.error?.code, body.output?.at(-1).content[0].text]
    },
  ],
  [
    'by Chat Completions',
    async (server) => {
      const tools = [{ type: 'function', function: { name: 'f', parameters: F.parameters } }]
      const asked = { model: 'gpt-oss', messages: [QUESTION], tools }
      const { body: first } = await server.ask('POST', '/chat/completions', asked)
      const message = first.choices[0].message
      const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: LONG }
      const again = { ...asked, messages: [QUESTION, message, result] }
      const { status, body } = await server.ask('POST', '/chat/completions', again)
      return [status, body.error?.code, body.choices?.[0].message.content]
    },
  ],
  [
    'by the Messages API',
    async (server) => {
      const tools = [{ name: 'f', input_schema: F.parameters }]
      const asked = { model: 'gpt-oss', max_tokens: 100, messages: [QUESTION], tools }
      const { body: first } = await server.ask('POST', '/messages', asked)
      const result = { type: 'tool_result', tool_use_id: first.content.at(-1).id, content: LONG }
      const messages = [QUESTION, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }]
      const { status, body } = await server.ask('POST', '/messages', { ...asked, messages })
      const isTooLong = /^prompt is too long/.test(body.error?.message)
      return [status, isTooLong ? 'context_length_exceeded' : undefined, body.content?.at(-1).text]
    },
  ],
]

describe.each(WAYS)('a result of 200,000 tokens that a client sends %s', (_, ask) => {
  test('a result of 200,000 tokens is answered where it fits into the context', async () => {
    const server = served(TOKENS + 1_000)
    expect(await ask(server)).toEqual([200, undefined, 'Done.'])
    expect(server.errors).toEqual([])
  })

  test('a result of 200,000 tokens is context_length_exceeded where it does not fit into the context', async () => {
    const server = served(131_072)
    expect(await ask(server)).toEqual([400, 'context_length_exceeded', undefined])
    expect(server.errors).toEqual([])
  })
})

test.each(WAYS.slice(0, 2))(
  'truncation drops a result of 200,000 tokens with its exchange, sent %s',
  async (_, ask) => {
    const server = served(131_072)
    const [status] = await ask(server, { truncation: 'auto' })
    // The result belongs to the last exchange, which stays.
    expect(status).toBe(400)
    const next = { role: 'user', content: 'And now?' }
    const { status: later, body } = await server.create({ input: [QUESTION, CALL, OUTPUT, next], truncation: 'auto' })
    expect([later, body.output.at(-1).content[0].text]).toEqual([200, 'Done.'])
    expect(server.errors).toEqual([])
  },
)

describe('a result of 200,000 tokens of a tool that the server runs', () => {
  const script = () => [call('browser.search', { query: 'x' }), answer('Found.')]

  test('a tool may answer with 200,000 tokens that fit into the context, and the next response has them', async () => {
    const server = served(TOKENS + 5_000, [...script(), answer('Again.')])
    const { status, body } = await server.create({ input: 'Go.', tools: [SEARCH] })
    expect([status, body.status, body.output.at(-1).content[0].text]).toEqual([200, 'completed', 'Found.'])
    const next = await server.create({ input: 'And?', previous_response_id: body.id, tools: [SEARCH] })
    expect([next.status, next.body.output.at(-1).content[0].text]).toEqual([200, 'Again.'])
    expect(server.errors).toEqual([])
  })

  test('a tool that answers with more than the context holds leaves the response incomplete', async () => {
    const server = served(131_072, script())
    const { status, body } = await server.create({ input: 'Go.', tools: [SEARCH] })
    expect([status, body.status, body.incomplete_details]).toEqual([200, 'incomplete', { reason: 'max_output_tokens' }])
    expect(body.output).toMatchObject([{ type: 'web_search_call', status: 'completed' }])
    expect(server.errors).toEqual([])
  })

  test('truncation drops the exchange of a tool that answered with more than the context holds', async () => {
    const server = served(131_072, [...script().slice(0, 1), answer('Next.')])
    const { body } = await server.create({ input: 'Go.', tools: [SEARCH] })
    const asked = { input: 'And?', previous_response_id: body.id, tools: [SEARCH] }
    expect((await server.create(asked)).body.error.code).toBe('context_length_exceeded')
    const next = await server.create({ ...asked, truncation: 'auto' })
    expect([next.status, next.body.output?.at(-1).content[0].text]).toEqual([200, 'Next.'])
    expect(server.errors).toEqual([])
  })
})
