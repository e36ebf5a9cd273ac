import { describe, expect, test } from 'vitest'
import { fileSearch } from '../../src/endpoint/tools/file-search.js'
import { functionTools } from '../../src/endpoint/tools/functions.js'
import { PASSED_PATHS } from '../../src/engines/contract/engine-server.js'
import { EngineError, tokenStream } from '../../src/engines/contract/index.js'
import { answer, call, type Script, scriptedEngine, think } from '../../src/testing/index.js'
import { type Answer, type Endpoint, endpoint } from '../endpoint/server/endpoint.js'
import { encodeHarmony } from '../support/tokens.js'
import { pageOf } from './pages.js'

const page = pageOf('docs/migrate.md')

/** The rows of a table between two comments, by their first cell. */
function rowsOf(table: string): string[] {
  const [, text = ''] = new RegExp(`<!-- ${table} -->\\n([\\s\\S]*?)\\n<!-- /${table} -->`).exec(page) ?? []
  return text
    .split('\n')
    .slice(2)
    .map((line) => line.split('|')[1]?.trim() ?? '')
}

const TURN = [think('Hm.'), answer('Hi there.')]
const weather = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } } as const
const twoCalls = [think('Hm.'), call('functions.weather', {}), call('functions.weather', { city: 'Rome' })]
const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }

const started = (script: Script = [TURN, TURN], options: object = {}): Endpoint => endpoint(script, options)
const made = (body: object, script?: Script, options?: object): Promise<Answer> =>
  started(script, options).create({ input: 'Hi', ...body })
const types = async (body: object, script?: Script, options?: object): Promise<string[]> =>
  (await started(script, options).stream('/responses', { model: 'gpt-oss', input: 'Hi', ...body })).map(
    ({ type }) => type,
  )
const items = ({ body }: Answer): string[] => body.output.map(({ type }: { readonly type: string }) => type)

async function refusal(body: object, status: number, code: string): Promise<void> {
  const refused = await made(body)
  expect(refused.status).toBe(status)
  expect(refused.body.error.code).toBe(code)
}

async function limited(): Promise<void> {
  expect((await types({ max_output_tokens: 5 })).at(-1)).toBe('response.incomplete')
  expect((await made({ max_output_tokens: 5 })).body.incomplete_details).toEqual({ reason: 'max_output_tokens' })
}

async function goesOn(): Promise<void> {
  const server = started()
  const { body } = await server.create({ input: 'Hi' })
  expect((await server.create({ input: 'And?', previous_response_id: body.id })).body.status).toBe('completed')
}

const PLACE = {
  ...{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  additionalProperties: false,
}

/** The scripted engine enforces a constraint: what its model would write otherwise is not JSON. */
async function strictFormat(): Promise<void> {
  const text = { format: { type: 'json_schema', name: 'place', strict: true, schema: PLACE } }
  const { body } = await made({ text }, [[think('Hm.'), answer('Rome, I think.')]])
  expect(JSON.parse(body.output[1].content[0].text)).toEqual({ city: expect.any(String) })
}

async function strictFunction(): Promise<void> {
  const tools = [{ type: 'function', name: 'f', parameters: PLACE, strict: true }]
  const { body } = await made({ tools }, [[think('Hm.'), call('functions.f', { town: 1 })]])
  expect(JSON.parse(body.output[1].arguments)).toEqual({ city: expect.any(String) })
}

async function bothCalls(): Promise<void> {
  const both = ['reasoning', 'function_call', 'function_call']
  expect(items(await made({ tools: [{ ...weather, strict: false }] }, [twoCalls]))).toEqual(both)
  // The call of a function that is held to its parameters ends the turn.
  const held = endpoint([twoCalls])
  expect((await held.create({ input: 'Hi', tools: [weather] })).status).toBe(500)
  expect(String(held.errors[0])).toContain('functions.weather is held to its parameters')
  // An engine that enforces nothing holds no function.
  const server = endpoint(scriptedEngine([twoCalls], { constraints: [] }))
  expect(items(await server.create({ input: 'Hi', tools: [weather] }))).toEqual(both)
}

async function unknownPaths(...paths: string[]): Promise<void> {
  for (const path of paths) {
    const response = await started().send(path, { method: 'POST', body: '{}' })
    expect([response.status, (await response.json()).error.code], path).toEqual([404, 'unknown_url'])
  }
}

async function isIgnored(more: object): Promise<void> {
  expect((await made(more)).body.output).toMatchObject([{}, { content: [{ text: 'Hi there.' }] }])
}

async function tooLong(): Promise<void> {
  const server = endpoint(scriptedEngine([TURN], { contextLength: 200 }))
  const { status, body } = await server.create({ input: 'word '.repeat(500) })
  expect([status, body.error.code]).toEqual([400, 'context_length_exceeded'])
}

async function undeclared(): Promise<void> {
  const { body } = await made({}, [[call('functions.launch', {})]])
  expect(body).toMatchObject({ status: 'completed', output: [{ type: 'function_call', name: 'launch' }] })
}

async function withLogprobs(): Promise<void> {
  const { body } = await made({ include: ['message.output_text.logprobs'], top_logprobs: 1 })
  expect(body.output[1].content[0].logprobs.length).toBeGreaterThan(0)
}

/** The right half of each row. */
const CHECKS: Readonly<Record<string, Readonly<Record<string, () => Promise<void>>>>> = {
  openai: {
    key: async () => {
      const headers = { authorization: 'Bearer anything' }
      const open = started([TURN], { authorize: undefined })
      expect((await open.create({ input: 'Hi' }, headers)).status).toBe(200)
      const closed = started([TURN], { authorize: () => undefined })
      expect((await closed.create({ input: 'Hi' }, headers)).status).toBe(401)
    },
    'model names': async () => {
      const models = ['gpt-oss']
      expect((await made({ model: 'gpt-4o' }, [TURN], { models })).body.error.code).toBe('model_not_found')
      expect((await made({ model: 'gpt-4o' }, [TURN], { models, otherModels: 'any' })).status).toBe(200)
    },
    reasoning: async () => {
      expect((await made({})).body.output[0]).toMatchObject({ content: [{ type: 'reasoning_text', text: 'Hm.' }] })
      const summary = [{ type: 'summary_text', text: 'Hm.' }]
      expect((await made({ reasoning: { summary: 'auto' } })).body.output[0]).toMatchObject({ content: [], summary })
    },
    '`store`': async () => {
      const server = started()
      const { body } = await server.create({ input: 'Hi' })
      expect(body.store).toBe(true)
      expect((await server.ask('GET', `/responses/${body.id}`)).body.id).toBe(body.id)
    },
    '`conversation`': async () => {
      const server = started()
      const { body: made } = await server.ask('POST', '/conversations', {})
      expect((await server.create({ input: 'Hi', conversation: made.id })).body.conversation).toEqual({ id: made.id })
      expect((await server.ask('GET', `/conversations/${made.id}/items`)).body.data.length).toBeGreaterThan(1)
    },
    '`prompt` (templates)': () => refusal({ prompt: { id: 'pmpt_1' } }, 400, 'unsupported_parameter'),
    images: async () => {
      const input = [{ role: 'user', content: [image] }]
      await refusal({ input }, 400, 'unsupported_value')
      expect((await made({ input }, [TURN], { response: { images: 'placeholder' } })).status).toBe(200)
    },
    '`file_search`': async () => {
      const tools = [{ type: 'file_search', vector_store_ids: ['vs_1'] }]
      for (const [isRun, search] of [
        [true, [fileSearch(() => [])]],
        [false, []],
      ] as const) {
        const server = endpoint([TURN], { tools: search })
        expect((await server.create({ input: 'Hi', tools })).body.status).toBe('completed')
        expect(JSON.stringify(server.engine.calls[0]?.messages).includes('file_search')).toBe(isRun)
      }
    },
    '`computer`, `image_generation`': async () => {
      const server = endpoint([TURN])
      const tools = [{ type: 'computer' }, { type: 'image_generation' }]
      expect((await server.create({ input: 'Hi', tools })).body.status).toBe('completed')
      expect(JSON.stringify(server.engine.calls[0]?.messages)).not.toMatch(/computer|image_generation/)
    },
    '`temperature`, `top_p`': async () => {
      const server = endpoint([TURN])
      await server.create({ input: 'Hi', temperature: 0.2, top_p: 0.9 })
      expect(server.engine.calls[0]?.options.sampling).toMatchObject({ temperature: 0.2, topP: 0.9 })
    },
    '`stop`, `seed`': async () => {
      const server = endpoint([TURN])
      const { body } = await server.create({ input: 'Hi', stop: ['there'], seed: 7 })
      expect(body.output[1].content[0].text).toBe('Hi ')
      expect(server.engine.calls[0]?.options.sampling).toMatchObject({ seed: 7 })
    },
    '`logprobs`': withLogprobs,
    'strict functions and formats': async () => {
      await strictFormat()
      await strictFunction()
    },
    errors: async () => {
      const { status, body } = await made({ temperature: 'hot' })
      expect(status).toBe(400)
      const error = {
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'invalid_type',
        message: expect.any(String),
      }
      expect(body).toEqual({ error })
    },
  },
  vllm: {
    'limit of tokens': limited,
    'values that are missing': async () => {
      const server = started([TURN], { dialect: 'vllm' })
      const body = JSON.stringify({ model: 'gpt-oss', input: 'Hi', stream: true })
      const headers = { 'content-type': 'application/json' }
      const response = await server.send('/v1/responses', { method: 'POST', body, headers })
      expect(await response.text()).toContain('"encrypted_content":null')
      expect(JSON.stringify(await started().stream('/responses', { model: 'gpt-oss', input: 'Hi' }))).not.toContain(
        '"encrypted_content":null',
      )
    },
    'items in the last event': async () => {
      const events = await started().stream('/responses', { model: 'gpt-oss', input: 'Hi' })
      const items = events as readonly { readonly type: string; readonly item?: unknown }[]
      const done = items.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []))
      expect(events.at(-1)?.response.output).toEqual(done)
    },
    '`tool_choice: required`, or a named function': async () => {
      const server = started([[think('Hm.'), call('functions.weather', {})]])
      const { body } = await server.create({
        input: 'Hi',
        tools: [weather],
        tool_choice: { type: 'function', name: 'weather' },
      })
      expect(body.output.at(-1)).toMatchObject({ type: 'function_call', name: 'weather' })
    },
    'a strict function': strictFunction,
    'a strict format': strictFormat,
    logprobs: withLogprobs,
    'a malformed header': async () => {
      const said = '<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final It is 42.<|return|>'
      const generate = () =>
        tokenStream(async function* () {
          yield encodeHarmony(said)
          return { reason: 'stop' as const }
        })
      const { body } = await endpoint({ generate, health: async () => {} }).create({ input: 'Hi' })
      expect(body.output.at(-1)).toMatchObject({ type: 'message', content: [{ text: 'It is 42.' }] })
    },
    'a call of an undeclared namespace': async () => {
      await undeclared()
      const script = [[call('launch.rocket', {})], TURN]
      expect(items(await made({}, script, { response: { policy: 'vllm' } }))).toContain('mcp_call')
    },
    'tools that the server runs': async () => {
      const dice = functionTools('dice', { roll: { parameters: { type: 'object' }, run: () => 'six' } })
      const script = [[call('dice.roll', {})], TURN]
      const { body } = await made({ tools: [dice.declaration] }, script, { tools: [dice] })
      expect(body.output).toContainEqual(expect.objectContaining({ type: 'mcp_call', output: 'six' }))
    },
    '`previous_response_id`': goesOn,
    '`enable_response_messages`': async () => {
      const { body } = await made({ enable_response_messages: true })
      expect(body).not.toHaveProperty('output_messages')
    },
    'an input that is too long': tooLong,
  },
  ollama: {
    '`/api/chat`, `/api/generate`, `/api/tags`': () => unknownPaths('/api/chat', '/api/generate', '/api/tags'),
    '`think`': () => isIgnored({ think: false }),
    '`keep_alive`, `options`': () => isIgnored({ keep_alive: '5m', options: { num_ctx: 1 } }),
    'a prompt that is longer than `num_ctx`': tooLong,
    'arguments of a call': async () => {
      const script = [[call('functions.weather', { city: 'Rome', country: 'Italy' })]]
      const deltas = (await types({ tools: [weather] }, script)).filter((type) => type.endsWith('arguments.delta'))
      expect(deltas.length).toBeGreaterThan(3)
    },
    'two calls in one turn': bothCalls,
    '`reasoning_tokens`': async () => {
      expect((await made({})).body.usage.output_tokens_details.reasoning_tokens).toBeGreaterThan(0)
    },
    '`previous_response_id`': goesOn,
    'limit of tokens': limited,
  },
  'llama-server': {
    '`sequence_number`': async () => {
      const events = await started().stream('/responses', { model: 'gpt-oss', input: 'Hi' })
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    },
    '`output_index`': async () => {
      const events = await started().stream('/responses', { model: 'gpt-oss', input: 'Hi' })
      const ofItems = events.filter((event) => !('response' in event))
      expect(ofItems.length).toBeGreaterThan(10)
      for (const event of ofItems) expect(event).toHaveProperty('output_index')
    },
    'limit of tokens': limited,
    'two calls in one turn': bothCalls,
    'a call of an undeclared tool': undeclared,
    '`/completion`, `/props`, `/slots`': () => unknownPaths('/completion', '/props', '/slots'),
    '`/tokenize`, `/v1/embeddings`, `/v1/completions`, `/v1/rerank`': () => unknownPaths(...PASSED_PATHS),
    '`/health`': async () => {
      for (const path of ['/health', '/readyz', '/healthz']) expect((await started().send(path)).status).toBe(200)
      const reason = 'It is loading.'
      const health = () => Promise.reject(new EngineError('server_error', reason, { isUnavailable: true, reason }))
      const loading = endpoint({ ...scriptedEngine([]), health })
      const answers = await Promise.all(['/health', '/readyz', '/healthz'].map((path) => loading.send(path)))
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 200])
      expect(await answers[1]?.text()).toContain(reason)
    },
    '`grammar`': () => isIgnored({ grammar: 'root ::= "a"' }),
    '`previous_response_id`': goesOn,
  },
}

describe.each(Object.keys(CHECKS))('from %s', (table) => {
  test(`each row of the page that is about ${table} is checked here`, () => {
    expect(rowsOf(table)).toEqual(Object.keys(CHECKS[table] ?? {}))
  })

  test.each(Object.keys(CHECKS[table] ?? {}))(
    `the endpoint does what the page says, beside ${table}, of %s`,
    async (row) => {
      await CHECKS[table]?.[row]?.()
    },
  )
})

test("the README's rows about vLLM are rows of the page", () => {
  const [, text = ''] = /<!-- vllm rows -->\n([\s\S]*?)\n<!-- \/vllm rows -->/.exec(pageOf('README.md')) ?? []
  const cells = text
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(cells.length).toBeGreaterThanOrEqual(4)
  for (const [, what, own, here] of cells) expect(page).toContain(`| ${what} | ● ${own} | ${here} |`)
})
