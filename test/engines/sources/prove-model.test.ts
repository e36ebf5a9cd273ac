import { expect, test } from 'vitest'
import type { TokenEngine } from '../../../src/engines/contract/index.js'
import type { HttpOptions } from '../../../src/engines/sources/http/http-client.js'
import { createLlamaServerEngine } from '../../../src/engines/sources/llama-server.js'
import { createSglangEngine } from '../../../src/engines/sources/sglang.js'
import { createVllmEngine } from '../../../src/engines/sources/vllm.js'
import { namedBlock } from '../../docs/pages.js'
import { errorOf } from '../../support/error-of.js'
import { readTokens } from '../../support/read-tokens.js'

const GPT_OSS = { id: 'openai/gpt-oss-20b', max_model_len: 4096 }

/** A server's answers by their paths: a status, or a body; and the requests that it got. */
interface Double {
  readonly asked: { readonly path: string; readonly body: unknown }[]
  readonly fetch: typeof globalThis.fetch
}

function double(answers: Readonly<Record<string, unknown>>): Double {
  const asked: { path: string; body: unknown }[] = []
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const path = new URL(String(url)).pathname
    asked.push({ path, body: init?.body === undefined ? undefined : JSON.parse(String(init.body)) })
    const answer = answers[path] ?? 404
    if (typeof answer === 'number') return new Response('{"detail":"no"}', { status: answer })
    return typeof answer === 'string' ? new Response(answer) : Response.json(answer)
  }
  return { asked, fetch: fetch as typeof globalThis.fetch }
}

const sse = (...events: readonly unknown[]): string =>
  [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')

interface Kind {
  readonly name: string
  readonly ownedBy: string
  readonly create: (options: HttpOptions) => TokenEngine
  readonly generatePath: string
  /** An answer of two tokens, 13225 and 200002. */
  readonly hello: string
  /** The request to its tokenizer for `<|start|>`. */
  readonly asks: object
  /** Other paths that are requested, which answer nothing here. */
  readonly info: readonly string[]
}

const KINDS: readonly Kind[] = [
  {
    name: 'vLLM',
    ownedBy: 'vllm',
    create: createVllmEngine,
    generatePath: '/v1/completions',
    hello: sse({ choices: [{ token_ids: [13225, 200002], finish_reason: 'stop' }] }),
    asks: { prompt: '<|start|>', add_special_tokens: false },
    info: [],
  },
  {
    name: 'SGLang',
    ownedBy: 'sglang',
    create: createSglangEngine,
    generatePath: '/generate',
    hello: sse({ output_ids: [13225, 200002], meta_info: { finish_reason: { type: 'stop', matched: 200002 } } }),
    asks: { prompt: '<|start|>', add_special_tokens: false },
    info: ['/server_info', '/get_server_info'],
  },
  {
    name: 'llama-server',
    ownedBy: 'llamacpp',
    create: createLlamaServerEngine,
    generatePath: '/completion',
    hello: sse(
      { stop: false, tokens: [13225], content: 'Hello' },
      { stop: true, stop_type: 'eos', tokens: [200002], content: '' },
    ),
    asks: { content: '<|start|>', add_special: false, parse_special: true },
    info: [],
  },
]

const modelsOf = (model: object): object => ({ data: [model] })

test.each(KINDS)(
  '$name proves its model by its tokenizer, once',
  async ({ create, generatePath, hello, asks, ownedBy, info }) => {
    const models = modelsOf({ ...GPT_OSS, id: 'my-tune', owned_by: ownedBy })
    const { fetch, asked } = double({ '/v1/models': models, '/tokenize': { tokens: [200006] }, [generatePath]: hello })
    const engine = create({ url: 'http://a.invalid', fetch })
    for (const _ of [1, 2]) {
      const { tokens } = await readTokens(engine.generate([1], { maxTokens: 5 }))
      expect(tokens.slice(0, 1)).toEqual([13225])
    }
    expect(asked.map(({ path }) => path)).toEqual(['/v1/models', '/tokenize', ...info, generatePath, generatePath])
    expect(asked[1]?.body).toEqual(asks)
  },
)

test.each(KINDS)('$name with another model is unavailable, whatever the model is called', async (kind) => {
  const { create, ownedBy, generatePath } = kind
  const models = modelsOf({ ...GPT_OSS, owned_by: ownedBy })
  const { fetch, asked } = double({ '/v1/models': models, '/tokenize': { tokens: [27, 91, 2468, 91, 29] } })
  const engine = create({ url: 'http://a.invalid', fetch })
  const message = 'expected a gpt-oss model, where <|start|> is 200006, got "openai/gpt-oss-20b", where it is 5 tokens'
  for (const contact of [readTokens(engine.generate([1], { maxTokens: 5 })), engine.capabilities?.()]) {
    expect(await errorOf(contact as Promise<unknown>)).toMatchObject({ isUnavailable: true, message, reason: message })
  }
  expect(asked.map(({ path }) => path)).not.toContain(generatePath)
})

test('docs/engines.md shows what another model and another server are reported as', async () => {
  const vllm = {
    '/v1/models': modelsOf({ id: 'Qwen/Qwen3-8B', owned_by: 'vllm' }),
    '/tokenize': { tokens: [1, 2, 3, 4, 5] },
  }
  const said: string[] = []
  for (const create of [createVllmEngine, createSglangEngine]) {
    const engine = create({ url: 'http://a.invalid', fetch: double(vllm).fetch })
    said.push((await errorOf(engine.health())).message)
  }
  expect(`${said.join('\n')}\n`).toBe(namedBlock('docs/engines.md', 'another model').code)
})

test.each(KINDS)('$name is not healthy with another model, also if it was before', async ({ create, ownedBy }) => {
  const answers = {
    '/health': {},
    '/v1/models': modelsOf({ ...GPT_OSS, owned_by: ownedBy }),
    '/tokenize': { tokens: [200006] },
  }
  const engine = create({ url: 'http://a.invalid', fetch: double(answers).fetch })
  await engine.health()
  Object.assign(answers, { '/tokenize': { tokens: [7] } })
  expect((await errorOf(engine.health())).message).toMatch(/where it is 7$/)
})

test.each(KINDS)('$name without a tokenizer is believed by the name of its model, and only then', async (kind) => {
  const { create, ownedBy, name } = kind
  const contact = (id: string): Promise<unknown> => {
    const { fetch } = double({ '/health': {}, '/v1/models': modelsOf({ id, owned_by: ownedBy }) })
    return create({ url: 'http://a.invalid', fetch }).health()
  }
  await contact('unsloth/GPT-OSS-120b-GGUF')
  const { message } = await errorOf(contact('Qwen/Qwen3-8B'))
  expect(message, name).toBe(
    'expected a gpt-oss model, got "Qwen/Qwen3-8B", and no /tokenize to find out more: checkModel: false skips this',
  )
})

test.each(KINDS)('$name says so where another kind of server answers', async ({ create, name, ownedBy }) => {
  const others = [
    ['vllm', 'vLLM'],
    ['sglang', 'SGLang'],
    ['llamacpp', 'llama-server'],
    ['library', 'Ollama'],
  ] as const
  for (const [other, kind] of others) {
    if (other === ownedBy) continue
    const { fetch } = double({ '/health': {}, '/v1/models': modelsOf({ ...GPT_OSS, owned_by: other }) })
    const { message } = await errorOf(create({ url: 'http://a.invalid', fetch }).health())
    expect(message).toBe(`expected ${name}, got ${kind}`)
  }
})

test.each(KINDS)('$name says so where nothing is at the end of its url', async ({ create, name }) => {
  const { fetch } = double({ '/v1/completions/health': {} })
  const error = await errorOf(
    create({ url: 'http://a.invalid/v1/completions', fetch }).capabilities?.() as Promise<unknown>,
  )
  const reason = `expected ${name}, got a server that has neither /v1/models nor /tokenize`
  expect(error.reason).toBe(reason)
  // vLLM's url may end in /v1.
  expect(error.message.replace('/v1/completions?', '?')).toMatch(/: should url end in .*\?$/)
})

test.each([
  ['vLLM', createVllmEngine],
  ['llama-server', createLlamaServerEngine],
] as const)('a model that %s does not have is named beside those that it has', async (_, create) => {
  const models = { data: [GPT_OSS, { id: 'other' }] }
  // As a real vLLM answers for a model that it does not have.
  const { fetch } = double({ '/health': {}, '/v1/models': models, '/tokenize': 404 })
  const error = await errorOf(create({ url: 'http://a.invalid', fetch, model: 'gpt-oss' }).health())
  expect(error.reason).toMatch(/^expected .* with the model "gpt-oss", got one with "openai\/gpt-oss-20b", "other"$/)
  expect(error).toMatchObject({ isUnavailable: true, message: error.reason })
})

test.each(KINDS)(
  '$name is asked for no proof with checkModel: false',
  async ({ create, generatePath, hello, info }) => {
    const { fetch, asked } = double({ '/health': {}, [generatePath]: hello })
    const engine = create({ url: 'http://a.invalid', fetch, checkModel: false })
    await engine.health()
    await readTokens(engine.generate([1], { maxTokens: 5 }))
    expect(asked.map(({ path }) => path)).toEqual([...info, '/health', ...info, generatePath])
  },
)

test.each(KINDS)('$name that is starting or refuses the key is not called another model', async ({ create }) => {
  for (const status of [401, 503]) {
    const answers = { '/health': {}, '/v1/models': status, '/tokenize': status }
    const engine = create({ url: 'http://a.invalid', fetch: double(answers).fetch, delay: async () => {} })
    expect(await errorOf(engine.health())).toMatchObject({ status, reason: undefined })
  }
})

test.each(KINDS)('$name proves its model again after a first contact that failed', async (kind) => {
  const { create, generatePath, hello, ownedBy } = kind
  const answers: Record<string, unknown> = {
    '/v1/models': 503,
    '/tokenize': { tokens: [200006] },
    [generatePath]: hello,
  }
  const engine = create({ url: 'http://a.invalid', fetch: double(answers).fetch, retries: 0 })
  await errorOf(readTokens(engine.generate([1], { maxTokens: 5 })))
  answers['/v1/models'] = modelsOf({ ...GPT_OSS, owned_by: ownedBy })
  expect((await readTokens(engine.generate([1], { maxTokens: 5 }))).tokens[0]).toBe(13225)
})

/** A server whose list of models comes when the test says so: its requests, and their signals. */
function heldDouble({ ownedBy, generatePath, hello }: Kind) {
  const { fetch, asked } = double({
    '/v1/models': modelsOf({ ...GPT_OSS, owned_by: ownedBy }),
    '/tokenize': { tokens: [200006] },
    [generatePath]: hello,
  })
  const signals: AbortSignal[] = []
  let open = (_?: unknown): void => {}
  const opened = new Promise((resolve) => {
    open = resolve
  })
  const held: typeof globalThis.fetch = async (url, init) => {
    const answer = await fetch(url, init)
    if (!String(url).endsWith('/v1/models')) return answer
    const { signal } = init as { signal: AbortSignal }
    signals.push(signal)
    await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      opened.then(resolve)
    })
    return answer
  }
  return { fetch: held, asked, signals, open: () => open() }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test.each(KINDS)('$name proves its model once for requests that come together', async (kind) => {
  const server = heldDouble(kind)
  const engine = kind.create({ url: 'http://a.invalid', fetch: server.fetch })
  const calls = Array.from({ length: 20 }, () => readTokens(engine.generate([1], { maxTokens: 5 })))
  await turns()
  server.open()
  for (const { tokens } of await Promise.all(calls)) expect(tokens[0]).toBe(13225)
  expect(server.asked.filter(({ path }) => path !== kind.generatePath).map(({ path }) => path)).toEqual([
    '/v1/models',
    '/tokenize',
    ...kind.info,
  ])
})

test.each(KINDS)('$name proves its model for the others when the request that began it is aborted', async (kind) => {
  const server = heldDouble(kind)
  const engine = kind.create({ url: 'http://a.invalid', fetch: server.fetch })
  const first = new AbortController()
  const aborted = readTokens(engine.generate([1], { maxTokens: 5, signal: first.signal }))
  aborted.catch(() => {})
  await turns()
  const other = readTokens(engine.generate([1], { maxTokens: 5 }))
  await turns()
  first.abort(new Error('gone'))
  await expect(aborted).rejects.toThrow('gone')
  expect(server.signals.map(({ aborted }) => aborted)).toEqual([false])
  server.open()
  expect((await other).tokens[0]).toBe(13225)
})

test.each(KINDS)('$name stops proving its model when no request waits for it, and begins anew', async (kind) => {
  const server = heldDouble(kind)
  const engine = kind.create({ url: 'http://a.invalid', fetch: server.fetch })
  const callers = [new AbortController(), new AbortController()]
  const calls = callers.map(({ signal }) => readTokens(engine.generate([1], { maxTokens: 5, signal })))
  for (const call of calls) call.catch(() => {})
  await turns()
  for (const caller of callers) caller.abort(new Error('gone'))
  await Promise.allSettled(calls)
  expect(server.signals.map(({ aborted }) => aborted)).toEqual([true])
  server.open()
  expect((await readTokens(engine.generate([1], { maxTokens: 5 }))).tokens[0]).toBe(13225)
})

test.each(KINDS)('$name gets no more prompts once its health shows another model', async (kind) => {
  const { create, ownedBy, generatePath, hello } = kind
  const answers: Record<string, unknown> = {
    '/health': {},
    '/v1/models': modelsOf({ ...GPT_OSS, owned_by: ownedBy }),
    '/tokenize': { tokens: [200006] },
    [generatePath]: hello,
  }
  const { fetch, asked } = double(answers)
  const engine = create({ url: 'http://a.invalid', fetch })
  await readTokens(engine.generate([1], { maxTokens: 5 }))
  answers['/tokenize'] = { tokens: [7] }
  await errorOf(engine.health())
  const before = asked.length
  expect((await errorOf(readTokens(engine.generate([1], { maxTokens: 5 })))).message).toMatch(/where it is 7$/)
  expect(asked.slice(before).map(({ path }) => path)).not.toContain(generatePath)
})

test('of several models the one is meant that the engine asks for, by an alias, too', async () => {
  const models = { data: [{ id: 'other' }, { id: 'x.gguf', aliases: ['gpt-oss-20b'] }] }
  const { fetch } = double({ '/health': {}, '/v1/models': models })
  const health = (model: string): Promise<void> =>
    createLlamaServerEngine({ url: 'http://a.invalid', fetch, model }).health()
  expect((await errorOf(health('other'))).message).toContain('got "other"')
  expect((await errorOf(health('gpt-oss-20b'))).message).toContain('got "x.gguf"')
})
