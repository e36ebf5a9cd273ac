import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { NO_BUBBLEWRAP } from '../support/bubblewrap.js'
import { type Answer, stream } from '../support/scripted-server.js'
import { encodeHarmony } from '../support/tokens.js'
import { PLAYED } from './played-engines.js'
import { type Answered, inTime, type Started, typeIn } from './started.js'
import { POSTGRES, REDIS, type StoreServer } from './store-servers.js'

/** A `serve` with options, and what each of them does. */
export interface ServeStart {
  /** As typed after `serve`; a port is free unless it names one. */
  readonly options: string
  /** The server in front of which it stands, at $ENGINE. */
  readonly engine?: Answer
  /** The server that keeps its responses, at $STORE. */
  readonly storeServer?: StoreServer
  /** Of the environment, besides those of all. */
  readonly variables?: Readonly<Record<string, string>>
  /** Whether optional packages are installed beside it. */
  readonly needsPeers?: true
  /** Why it cannot start on this machine. Undefined if it can. */
  readonly obstacle?: string | undefined
  /** By a title that begins with the option. */
  readonly effects: Readonly<Record<string, (started: Started) => Promise<void>>>
}

const KEY = 'open-sesame-0123456789'
const ANN = { authorization: 'Bearer the-key-of-ann' }
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const WEATHER = 'node node_modules/harmony-responses/examples/weather-server.mjs'

/** The variables that the command lines use; PORT, ENGINE, ENGINE_HOST, STORE and TIME_ZONE besides. */
export const VARIABLES: Readonly<Record<string, string>> = { KEY, WEATHER }

/** The files of the folder in which everything is typed. */
export const FILES: Readonly<Record<string, string>> = {
  'request.json': JSON.stringify({ input: 'Where is Oslo?' }),
  'serve.json': JSON.stringify({ replay: true, 'model-alias': ['from-the-file'] }),
  'api-keys.txt': `ann ${sha256('the-key-of-ann')}\n`,
  'seal-keys.txt': `${Buffer.alloc(32, 1).toString('base64')}\n`,
  // Only a power failure would show it from outside.
  'tell-synchronous.mjs': `import { writeSync } from 'node:fs'
    import { DatabaseSync } from 'node:sqlite'
    const { exec } = DatabaseSync.prototype
    DatabaseSync.prototype.exec = function (sql) {
      exec.call(this, sql)
      writeSync(2, 'synchronous = ' + this.prepare('PRAGMA synchronous').get().synchronous + '\\n')
    }`,
  // Once there is a file of that name, it is two days later, and a minute lasts a moment.
  'days-later.mjs': `import { existsSync } from 'node:fs'
    if (existsSync('later')) {
      const { now } = Date
      Date.now = () => now() + 2 * 86_400_000
      const { bigint } = process.hrtime
      const start = bigint()
      process.hrtime.bigint = () => start + (bigint() - start) * 500n
    }`,
  'instructions.md': 'Answer as a pirate.\n',
  'mcp.json': JSON.stringify({ mcpServers: { weather: { command: 'node', args: WEATHER.split(' ').slice(1) } } }),
  'thinks.json': JSON.stringify([[{ think: 'One moment.' }, { answer: 'By a script.' }]]),
  'hangs.json': JSON.stringify([{ hang: true }]),
  'runs-code.json': JSON.stringify([{ call: 'python', arguments: 'print(1)' }]),
  'asks-weather.json': JSON.stringify([{ call: 'weather.now', arguments: { city: 'Oslo' } }, { answer: 'Rain.' }]),
  'calls.json': JSON.stringify([{ call: 'weather.now', arguments: { city: 'Oslo' } }]),
  'chat.json': JSON.stringify({ effortField: 'reasoning' }),
  'searches.json': JSON.stringify([
    { call: 'file_search.search', arguments: { queries: ['Do otters sleep?'] } },
    { answer: 'They hold hands.' },
  ]),
  'browses.json': JSON.stringify([
    { call: 'browser.search', arguments: { query: 'otters' } },
    { call: 'browser.open', arguments: { id: 0 } },
    { call: 'browser.open', arguments: { cursor: 0, id: 1 } },
    { answer: 'They hold hands【1†L2】.' },
  ]),
  'runs-cells.json': JSON.stringify([
    { call: 'python', arguments: 'import os\nprint(6 * 7, os.readlink("/proc/self/ns/net"))' },
    { answer: 'Done.' },
  ]),
  'mine/ping.json': JSON.stringify({
    ...{ version: 1, name: 'ping', request: { input: 'Ping' } },
    tokens: [
      '<|channel|>analysis<|message|>They ping.<|end|>',
      '<|start|>assistant<|channel|>final<|message|>Pong.<|return|>',
    ],
  }),
  'animals/otters.md': '# Otters\n\nOtters hold hands while they sleep.\n',
}

const FRANCE = { model: 'gpt-oss', input: 'What is the capital of France?' }
const OSLO = { model: 'gpt-oss', input: 'Where is Oslo?' }
const OSLO_ANSWERED = [{ type: 'message', content: [{ text: 'Oslo is in Norway.' }] }]
const MCP_WEATHER = { type: 'mcp', server_label: 'weather', server_url: 'http://a.invalid', require_approval: 'never' }

function outputOf({ body, text }: Answered): readonly { readonly type: string }[] {
  expect(body, text).toMatchObject({ status: 'completed', output: expect.any(Array) })
  return body?.['output'] as readonly { readonly type: string }[]
}

const typesOf = (answered: Answered): string[] => outputOf(answered).map(({ type }) => type)

/** The robots.txt of all servers. */
export const ROBOTS = 'user-agent: *\ndisallow: /*/private'

/** A SearXNG instance, and the pages that it finds, which are of the same host. */
const searxng: Answer = (response, { path, headers }) => {
  const [, script] = response.req.url?.split('/') ?? []
  const pages = ['otters', 'private'].map((page) => `http://${headers.host}/${script}/${page}`)
  const results = [...pages, 'https://elsewhere.test/'].map((url) => ({ title: 'Otters', url, content: '' }))
  if (path.startsWith('/search?')) response.end(JSON.stringify({ results }))
  else response.setHeader('content-type', 'text/html').end('<title>Otters</title><p>They hold hands.</p>')
}

/** The body of the last request of a path to the engine. */
function askedOf({ asked }: Started, path: string): Readonly<Record<string, unknown>> {
  const found = asked.findLast((each) => each.path === path)
  return Object(found?.body)
}

/** Whether a prompt has a text whose tokens do not depend on what is beside it. */
function hasText(prompt: unknown, text: string): boolean {
  return ` ${(prompt as readonly number[]).join(' ')} `.includes(` ${encodeHarmony(text).join(' ')} `)
}

/** Types `store` in the folder of a server, and returns what it prints. */
async function storeCommand(folder: string, typed: string): Promise<string> {
  const terminal = typeIn(folder, `harmony-responses store ${typed} --store responses.db`)
  expect(await inTime(terminal, terminal.exit), terminal.printed).toBe(0)
  return terminal.printed
}

/** An engine's answers, of which that to a prompt with this text breaks off after some tokens. */
function breaksOff(answer: Answer, text: string): Answer {
  return (response, asked) => {
    if (asked.path !== '/v1/completions' || !hasText(Object(asked.body)['prompt'], text)) return answer(response, asked)
    const choice = {
      index: 0,
      text: '',
      token_ids: encodeHarmony('<|channel|>final<|message|>It'),
      finish_reason: null,
    }
    return stream([{ choices: [choice] }], 'breaks')(response, asked)
  }
}

/** A start that keeps its responses in a server. */
const keepsIn = (storeServer: StoreServer): ServeStart => ({
  options: '--replay --store "$STORE" --seal-keys seal-keys.txt --durability power',
  ...{ storeServer, needsPeers: true, obstacle: storeServer.obstacle },
  effects: {
    async [`--store keeps a response in ${storeServer.name} over a restart, and shows no password`](started) {
      const { body } = await started.post('/v1/responses', FRANCE)
      await started.restart()
      expect((await started.get(`/v1/responses/${body?.['id']}`)).body).toEqual(body)
      const { hostname, port, password } = new URL(started.variables['STORE'] ?? '')
      expect(started.printed).toContain(`//${hostname}:${port}/`)
      expect(started.printed).not.toContain(password)
    },
  },
})

export const STARTS: readonly ServeStart[] = [
  keepsIn(POSTGRES),
  keepsIn(REDIS),
  {
    options: `--replay --port $PORT --host localhost --origin https://chat.example.com --model-alias mine --reasoning hidden
      --dialect open-responses --images placeholder --unknown refuse --unsupported-constraints refuse
      --limit bodyBytes=1000`,
    effects: {
      async '--replay plays the recordings of the package'({ post }) {
        expect(outputOf(await post('/v1/responses', FRANCE)).at(-1)).toMatchObject({
          content: [{ text: 'The capital of France is Paris.' }],
        })
      },
      async '--port is where it listens'({ url, variables }) {
        expect(new URL(url).port).toBe(variables['PORT'])
      },
      async '--host is where it listens'({ url, get }) {
        expect(new URL(url).hostname).toBe('localhost')
        expect((await get('/healthz')).status).toBe(200)
      },
      async '--origin allows the pages of a site, and no others'({ get }) {
        const allowed = await get('/v1/models', { origin: 'https://chat.example.com' })
        expect(allowed.headers.get('access-control-allow-origin')).toBe('https://chat.example.com')
        expect((await get('/v1/models', { origin: 'https://evil.example.com' })).status).toBe(403)
      },
      async '--model-alias adds a name, and refuses those without'({ get, post }) {
        expect((await get('/v1/models')).body).toMatchObject({ data: [{ id: 'gpt-oss' }, { id: 'mine' }] })
        expect((await post('/v1/responses', { ...FRANCE, model: 'other' })).status).toBe(404)
      },
      async '--reasoning hides the text of reasoning'({ post }) {
        const [reasoning] = outputOf(await post('/v1/responses', { ...FRANCE, input: 'Is 91 prime?' }))
        expect(reasoning).toMatchObject({ type: 'reasoning', content: [], summary: [] })
      },
      async '--dialect open-responses ends streams with [DONE]'({ post }) {
        expect((await post('/v1/responses', { ...FRANCE, stream: true })).text).toMatch(/\n\ndata: \[DONE\]\n\n$/)
      },
      async '--images placeholder takes an image'({ post }) {
        const content = [{ type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' }]
        const answered = await post('/v1/responses', { ...FRANCE, input: [{ role: 'user', content }] })
        expect(JSON.stringify(outputOf(answered))).toContain('[image]')
      },
      async '--unknown refuse refuses unknown fields'({ post }) {
        const { status, body } = await post('/v1/responses', { ...FRANCE, mood: 1 })
        expect([status, body]).toMatchObject([400, { error: { param: 'mood' } }])
      },
      async '--unsupported-constraints refuse refuses a schema that the engine cannot enforce'({ post }) {
        const schema = { type: 'object', properties: { a: { type: 'number', multipleOf: 0.01 } } }
        const text = { format: { type: 'json_schema', name: 'x', schema } }
        expect((await post('/v1/responses', { ...FRANCE, text })).status).toBe(400)
      },
      async '--limit bounds what a request may take'({ post }) {
        expect((await post('/v1/responses', { ...FRANCE, input: 'x'.repeat(1000) })).status).toBe(413)
      },
    },
  },
  {
    options:
      '--script thinks.json --delay 20 --on-disconnect finish --chat-reasoning both --verbose --record recordings',
    effects: {
      async '--script plays the turns of a file'({ post }) {
        const [thought, said] = outputOf(await post('/v1/responses', OSLO))
        expect(thought).toMatchObject({ type: 'reasoning', content: [{ text: 'One moment.' }] })
        expect(said).toMatchObject({ type: 'message', content: [{ text: 'By a script.' }] })
      },
      async '--delay waits before each token'({ post }) {
        const before = performance.now()
        const { body } = await post('/v1/responses', OSLO)
        const { output_tokens: count } = Object(body?.['usage']) as { readonly output_tokens: number }
        expect(count).toBeGreaterThan(5)
        // At least: how much longer it takes depends on the machine. A timer may be a millisecond early.
        expect(performance.now() - before).toBeGreaterThanOrEqual(count * 19)
      },
      async '--on-disconnect finish completes a response whose client leaves'({ url, get }) {
        const leaving = new AbortController()
        const response = await fetch(`${url}/v1/responses`, {
          method: 'POST',
          body: JSON.stringify({ ...OSLO, stream: true }),
          signal: leaving.signal,
        })
        const { value } = (await response.body?.getReader().read()) ?? {}
        const [id = ''] = /resp_\w+/.exec(new TextDecoder().decode(value)) ?? []
        leaving.abort()
        await expect
          .poll(async () => (await get(`/v1/responses/${id}`)).body, { timeout: 10_000 })
          .toMatchObject({ id, status: 'completed' })
      },
      async '--chat-reasoning names both fields of reasoning'({ post }) {
        const messages = [{ role: 'user', content: 'Where is Oslo?' }]
        const { body } = await post('/v1/chat/completions', { model: 'gpt-oss', messages })
        const message = { reasoning_content: 'One moment.', reasoning: 'One moment.' }
        expect(body).toMatchObject({ choices: [{ message }] })
      },
      async '--verbose draws the timeline of a response'(started) {
        const { body } = await started.post('/v1/responses', OSLO)
        const end = new RegExp(
          `^${body?.['id']}\\n[\\s\\S]*^response completed resp_…${`${body?.['id']}`.slice(-4)}\\n`,
          'm',
        )
        await expect.poll(() => started.printed).toMatch(end)
      },
      async '--record writes a fixture of a response'({ folder, post }) {
        const { body } = await post('/v1/responses', OSLO)
        const file = join(folder, 'recordings', `${body?.['id']}.json`)
        const fixture = { version: 1, name: body?.['id'], tokens: expect.any(Array) }
        await expect.poll(() => JSON.parse(readFileSync(file, 'utf8'))).toMatchObject(fixture)
      },
    },
  },
  {
    options: '--script hangs.json --parallel 1 --limit queue=0 --no-key --no-page',
    effects: {
      async '--parallel bounds the responses at a time'({ url, post }) {
        const leaving = new AbortController()
        const body = JSON.stringify({ ...OSLO, stream: true })
        const first = await fetch(`${url}/v1/responses`, { method: 'POST', body, signal: leaving.signal })
        await first.body?.getReader().read()
        expect((await post('/v1/responses', OSLO)).status).toBe(429)
        leaving.abort()
      },
      async '--no-key serves what a proxy forwards'({ get }) {
        const forwarded = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'llm.example' }
        expect((await get('/v1/models', forwarded)).status).toBe(200)
      },
      async '--no-page serves no page'({ get }) {
        expect((await get('/')).status).toBe(404)
      },
    },
  },
  {
    options: '--script runs-code.json --policy functions-only --log json',
    effects: {
      async '--policy functions-only makes a function call of every call'({ post }) {
        const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
        const output = outputOf(await post('/v1/responses', { ...OSLO, tools }))
        expect(output).toMatchObject([{ type: 'function_call', name: 'python' }])
      },
      async '--log json is a line of JSON for each request'(started) {
        const { headers } = await started.post('/v1/responses', { input: 5 })
        const lines = () =>
          started.printed
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
        expect(lines()[0]).toMatchObject({ event: 'listening', url: `${started.url}/v1` })
        const request_id = headers.get('x-request-id')
        await expect.poll(lines).toContainEqual(expect.objectContaining({ request_id, status: 400, param: 'input' }))
      },
    },
  },
  {
    options: '--config serve.json --store responses.db --durability power --keep 1 --keep-bytes 1',
    variables: { NODE_OPTIONS: '--import ./tell-synchronous.mjs --import ./days-later.mjs' },
    effects: {
      async '--config has options by their names'({ get }) {
        expect((await get('/v1/models')).body).toMatchObject({ data: [{ id: 'gpt-oss' }, { id: 'from-the-file' }] })
      },
      async '--store keeps a response over a restart'({ get, post, restart }) {
        const { body } = await post('/v1/responses', FRANCE)
        await restart()
        expect((await get(`/v1/responses/${body?.['id']}`)).body).toEqual(body)
      },
      async '--durability power has SQLite synchronize each write'({ printed }) {
        expect(printed.match(/^synchronous = \d$/gm)?.at(-1)).toBe('synchronous = 2')
      },
      async '--keep-bytes bounds what an owner has in the store, but for the last conversation'({ get, post }) {
        const [first, last] = [await post('/v1/responses', FRANCE), await post('/v1/responses', FRANCE)]
        expect((await get(`/v1/responses/${first.body?.['id']}`)).status).toBe(404)
        expect((await get(`/v1/responses/${last.body?.['id']}`)).status).toBe(200)
      },
      async '--store is counted, and emptied of an owner, by the command store'({ folder, get, post }) {
        const { body } = await post('/v1/responses', FRANCE)
        expect(await storeCommand(folder, 'status')).toMatch(/^responses +1$[\s\S]*^owners +1$[\s\S]*^oldest +20/m)
        expect(await storeCommand(folder, 'delete-owner --owner anonymous')).toMatch(/^responses +1$/m)
        expect((await get(`/v1/responses/${body?.['id']}`)).status).toBe(404)
      },
      async '--keep deletes what nobody has used for so many days, although nobody asks'({ folder, post, restart }) {
        await post('/v1/responses', FRANCE)
        writeFileSync(join(folder, 'later'), '')
        await restart()
        await expect.poll(() => storeCommand(folder, 'status'), { timeout: 20_000 }).toMatch(/^conversations +0$/m)
        rmSync(join(folder, 'later'))
      },
    },
  },
  {
    options: '--replay --store workers.db --workers 2',
    effects: {
      async '--workers serves one port by several processes, and starts one again that was killed'(started) {
        const { get, post } = started
        const running = async (): Promise<string> => {
          const { text } = await get('/metrics', { connection: 'close' })
          return /^harmony_workers .*$/m.exec(text)?.[0] ?? ''
        }
        await expect.poll(running, { timeout: 20_000 }).toBe('harmony_workers 2')
        const { body } = await post('/v1/responses', FRANCE)
        for (let request = 0; request < 4; request++) {
          const { status } = await get(`/v1/responses/${body?.['id']}`, { connection: 'close' })
          expect(status).toBe(200)
        }
        const [, pid] = /worker started {2}2 {2}process (\d+)/.exec(started.printed) ?? []
        process.kill(Number(pid), 'SIGKILL')
        await expect
          .poll(() => started.printed, { timeout: 20_000 })
          .toMatch(/worker ended {2}2 [\s\S]*worker started {2}2/)
        await expect.poll(running, { timeout: 20_000 }).toBe('harmony_workers 2')
      },
    },
  },
  {
    options: '--replay mine --seal-keys seal-keys.txt',
    effects: {
      async '--replay DIR plays the recordings of a folder'({ post }) {
        const [, said] = outputOf(await post('/v1/responses', { model: 'gpt-oss', input: 'Ping' }))
        expect(said).toMatchObject({ type: 'message', content: [{ text: 'Pong.' }] })
      },
      async '--seal-keys opens after a restart what a client kept'(started) {
        const asked = { role: 'user', content: 'Ping' }
        const sealing = { model: 'gpt-oss', store: false, include: ['reasoning.encrypted_content'] }
        const [reasoning] = outputOf(await started.post('/v1/responses', { ...sealing, input: [asked] }))
        expect(reasoning).toMatchObject({ encrypted_content: expect.stringMatching(/^hr1\.rs\./) })
        await started.restart()
        const input = [asked, reasoning, { role: 'user', content: 'Again' }]
        expect((await started.post('/v1/responses', { ...sealing, input })).status).toBe(200)
        expect(started.printed).not.toContain('unopened_seal')
        const file = readFileSync(join(started.folder, 'seal-keys.txt'), 'utf8').trim()
        expect(started.printed).not.toContain(file)
      },
    },
  },
  {
    options: `--vllm $ENGINE --context-size 4000 --structured-outputs guidance --instructions instructions.md --effort high
      --date 2026-01-02 --share-prefix-cache --engine-restarts 0 --pass /v1/embeddings --api-key "$KEY" --api-keys api-keys.txt`,
    engine: breaksOff(PLAYED.vllm, 'Break off.'),
    effects: {
      async '--engine-restarts 0 fails a response whose engine breaks off, and asks it no more'({ post, asked }) {
        const { body } = await post('/v1/responses', { ...OSLO, input: 'Break off.' }, ANN)
        expect(body).toMatchObject({ error: { code: 'server_error' } })
        expect(asked.filter(({ path }) => path === '/v1/completions')).toHaveLength(1)
      },
      async '--vllm asks vLLM'({ post }) {
        expect(outputOf(await post('/v1/responses', OSLO, ANN))).toMatchObject(OSLO_ANSWERED)
      },
      async '--context-size bounds an answer, of which the engine names no bound'(started) {
        await started.post('/v1/responses', OSLO, ANN)
        const { prompt, max_tokens } = askedOf(started, '/v1/completions')
        expect(max_tokens).toBe(4000 - (prompt as readonly number[]).length)
      },
      async '--structured-outputs names the form of a constraint'(started) {
        const text = { format: { type: 'json_schema', name: 'x', schema: { type: 'object', required: ['a'] } } }
        await started.post('/v1/responses', { ...OSLO, text }, ANN)
        expect(askedOf(started, '/v1/completions')).toMatchObject({
          structured_outputs: { grammar: expect.any(String) },
        })
        expect(started.printed).toContain('grammar backend guidance')
      },
      async '--instructions precede those of a client'(started) {
        await started.post('/v1/responses', { ...OSLO, instructions: 'Be brief.' }, ANN)
        expect(hasText(askedOf(started, '/v1/completions')['prompt'], 'Answer as a pirate.\n\nBe brief.')).toBe(true)
      },
      async '--effort is that of a request which names none'(started) {
        await started.post('/v1/responses', OSLO, ANN)
        expect(hasText(askedOf(started, '/v1/completions')['prompt'], 'Reasoning: high')).toBe(true)
        await started.post('/v1/responses', { ...OSLO, reasoning: { effort: 'low' } }, ANN)
        expect(hasText(askedOf(started, '/v1/completions')['prompt'], 'Reasoning: low')).toBe(true)
      },
      async '--date is what the model is told'(started) {
        await started.post('/v1/responses', OSLO, ANN)
        expect(hasText(askedOf(started, '/v1/completions')['prompt'], '2026-01-02')).toBe(true)
      },
      async '--pass lets the engine answer a path'(started) {
        const { body } = await started.post('/v1/embeddings', { model: 'gpt-oss', input: 'Hi' }, ANN)
        expect(body).toMatchObject({ data: [{ embedding: [0.5] }] })
        expect(askedOf(started, '/v1/embeddings')).toEqual({ model: 'mine', input: 'Hi' })
      },
      async '--share-prefix-cache sends the engine no name of an owner'(started) {
        await started.post('/v1/responses', OSLO, ANN)
        const body = askedOf(started, '/v1/completions')
        expect([Object.keys(body).includes('prompt'), body['cache_salt']]).toEqual([true, undefined])
      },
      async '--api-key opens, and a guess does not'({ get }) {
        expect((await get('/v1/models', { authorization: `Bearer ${KEY}` })).status).toBe(200)
        expect((await get('/v1/models', { authorization: 'Bearer a-guess' })).status).toBe(401)
        expect((await get('/v1/models')).status).toBe(401)
      },
      async '--api-keys gives a response to its owner alone'({ get, post }) {
        const { body } = await post('/v1/responses', OSLO, ANN)
        expect((await get(`/v1/responses/${body?.['id']}`, ANN)).status).toBe(200)
        const other = { authorization: `Bearer ${KEY}` }
        expect((await get(`/v1/responses/${body?.['id']}`, other)).status).toBe(404)
      },
    },
  },
  {
    options: '--sglang $ENGINE --skip-model-check --time-zone $TIME_ZONE --api-keys api-keys.txt',
    engine: PLAYED.sglang,
    effects: {
      async '--sglang asks SGLang, with a cache for each owner'(started) {
        expect(outputOf(await started.post('/v1/responses', OSLO, ANN))).toMatchObject(OSLO_ANSWERED)
        expect(askedOf(started, '/generate')).toMatchObject({ extra_key: expect.any(String) })
      },
      async '--skip-model-check trusts a server that cannot prove its model'({ get }) {
        expect((await get('/readyz', ANN)).status).toBe(200)
      },
      async '--time-zone decides on the day'(started) {
        const { body } = await started.post('/v1/responses', OSLO, ANN)
        const at = new Date((body?.['created_at'] as number) * 1000)
        const day = dayIn(started.variables['TIME_ZONE'] ?? '', at)
        expect(hasText(askedOf(started, '/generate')['input_ids'], day)).toBe(true)
      },
    },
  },
  {
    options: '--llama-server $ENGINE',
    engine: PLAYED['llama-server'],
    effects: {
      async '--llama-server asks llama-server'({ post }) {
        expect(outputOf(await post('/v1/responses', OSLO))).toMatchObject(OSLO_ANSWERED)
      },
    },
  },
  {
    options: `--chat-server $ENGINE --chat-server-model qwen3:8b --chat-server-preset openai --chat-server-config chat.json`,
    engine: PLAYED['chat-server'],
    effects: {
      async '--chat-server asks a server of Chat Completions'(started) {
        const answered = await started.post('/v1/responses', { ...OSLO, model: 'qwen3:8b' })
        expect(outputOf(answered).at(-1)).toMatchObject({ content: [{ text: 'Oslo is in Norway.' }] })
        const { messages } = askedOf(started, '/v1/chat/completions')
        expect(messages).toEqual([{ role: 'user', content: OSLO.input }])
      },
      async '--chat-server-model is the model, for the server and for clients'(started) {
        const { body } = await started.get('/v1/models')
        expect(body).toMatchObject({ data: [{ id: 'qwen3:8b' }] })
        await started.post('/v1/responses', OSLO)
        expect(askedOf(started, '/v1/chat/completions')['model']).toBe('qwen3:8b')
      },
      async '--chat-server-preset decides on the fields'(started) {
        await started.post('/v1/responses', { ...OSLO, max_output_tokens: 50 })
        expect(askedOf(started, '/v1/chat/completions')).toMatchObject({ max_completion_tokens: 50 })
      },
      async '--chat-server-config overrides the preset'(started) {
        await started.post('/v1/responses', { ...OSLO, reasoning: { effort: 'low' } })
        expect(askedOf(started, '/v1/chat/completions')).toMatchObject({ reasoning: { effort: 'low' } })
      },
    },
  },
  {
    options: `--script searches.json --file-search animals=vs_animals --offer file_search --offered-calls hidden
      --audit searched.jsonl`,
    effects: {
      async '--file-search finds a passage of a folder'(started) {
        const tools = [{ type: 'file_search', vector_store_ids: ['vs_animals'] }]
        const include = ['file_search_call.results']
        const output = outputOf(await started.post('/v1/responses', { ...OSLO, tools, include }))
        expect(output[0]).toMatchObject({ type: 'file_search_call', results: [{ filename: 'otters.md' }] })
      },
      async '--offered-calls hidden leaves the calls of offered tools out'({ folder, post }) {
        const answered = await post('/v1/responses', OSLO)
        expect(outputOf(answered)).toMatchObject([{ type: 'message', content: [{ text: 'They hold hands.' }] }])
        const line = { response_id: answered.body?.['id'], type: 'file_search_call', outcome: 'completed' }
        await expect.poll(() => linesOf(folder, 'searched.jsonl')).toContainEqual(expect.objectContaining(line))
      },
    },
  },
  {
    options: `--script browses.json --search searxng=$ENGINE --search-allow $ENGINE_HOST --search-robots obey
      --search-domain 127.0.0.1 --offer web_search`,
    engine: searxng,
    needsPeers: true,
    effects: {
      async '--search searches the web'(started) {
        const include = ['web_search_call.action.sources']
        const [search] = outputOf(await started.post('/v1/responses', { ...OSLO, include }))
        const sources = expect.arrayContaining([{ type: 'url', url: expect.stringContaining('/otters') }])
        expect(search).toMatchObject({ type: 'web_search_call', action: { query: 'otters', sources } })
      },
      async '--search-allow lets the browser open a page of its own network'(started) {
        const output = outputOf(await started.post('/v1/responses', OSLO))
        expect(output.at(-1)).toMatchObject({ content: [{ annotations: [{ type: 'url_citation', title: 'Otters' }] }] })
      },
      async '--search-domain shows results of a domain alone'(started) {
        const include = ['web_search_call.action.sources']
        const [search] = outputOf(await started.post('/v1/responses', { ...OSLO, include }))
        expect(JSON.stringify(search)).toContain('/private')
        expect(JSON.stringify(search)).not.toContain('elsewhere.test')
      },
      async '--search-robots obey opens no page that the robots.txt of its site forbids'(started) {
        const [, allowed, forbidden] = outputOf(await started.post('/v1/responses', OSLO))
        expect([allowed, forbidden]).toMatchObject([{ status: 'completed' }, { status: 'failed' }])
        expect(started.asked.map(({ path }) => path)).not.toContain('/private')
      },
    },
  },
  {
    options: '--script runs-cells.json --python auto --python-network --offer code_interpreter',
    obstacle: NO_BUBBLEWRAP,
    effects: {
      async '--python runs what the model writes'(started) {
        expect(started.printed).toMatch(/code_interpreter: Python by bwrap, with a network; a session has \d+ MiB/)
        const include = ['code_interpreter_call.outputs']
        const [ran] = outputOf(await started.post('/v1/responses', { ...OSLO, include }))
        expect(ran).toMatchObject({ type: 'code_interpreter_call', outputs: [{ logs: expect.stringMatching(/^42 /) }] })
      },
      async '--python-network gives it the network of the machine'(started) {
        const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
        const include = ['code_interpreter_call.outputs']
        const output = outputOf(await started.post('/v1/responses', { ...OSLO, tools, include }))
        expect(output[0]).toMatchObject({ outputs: [{ logs: `42 ${readlinkSync('/proc/self/ns/net')}\n` }] })
      },
    },
  },
  {
    options: `--script asks-weather.json --mcp weather="$WEATHER" --offer weather --chat-calls reasoning
      --audit calls.jsonl --audit-arguments`,
    needsPeers: true,
    effects: {
      async '--mcp runs the calls of a server'({ post }) {
        const answered = await post('/v1/responses', { ...OSLO, tools: [MCP_WEATHER] })
        expect(typesOf(answered)).toEqual(['mcp_list_tools', 'mcp_call', 'message'])
        expect(outputOf(answered)[1]).toMatchObject({ name: 'now', output: expect.stringContaining('9 degrees') })
      },
      async '--offer gives the tools of a server to a request without tools'({ post }) {
        expect(typesOf(await post('/v1/responses', OSLO))).toEqual(['mcp_call', 'message'])
      },
      async '--chat-calls reasoning names the calls in the reasoning'({ post }) {
        const messages = [{ role: 'user', content: 'Where is Oslo?' }]
        const { body } = await post('/v1/chat/completions', { model: 'gpt-oss', messages })
        const reasoning_content = expect.stringContaining('weather.now')
        expect(body).toMatchObject({ choices: [{ message: { content: 'Rain.', reasoning_content } }] })
      },
      async '--audit has a line for each call'({ folder, post }) {
        const { body } = await post('/v1/responses', OSLO)
        const line = { response_id: body?.['id'], name: 'now', outcome: 'completed' }
        await expect.poll(() => linesOf(folder, 'calls.jsonl')).toContainEqual(expect.objectContaining(line))
      },
      async '--audit-arguments has the arguments in it'({ folder, post }) {
        const { body } = await post('/v1/responses', OSLO)
        const line = { response_id: body?.['id'], arguments: expect.stringMatching(/^\{"city": ?"Oslo"\}$/) }
        await expect.poll(() => linesOf(folder, 'calls.jsonl')).toContainEqual(expect.objectContaining(line))
      },
    },
  },
  {
    options: '--script calls.json --mcp-config mcp.json --approval always',
    needsPeers: true,
    effects: {
      async '--mcp-config has the servers of a file'({ post }) {
        const [listed] = outputOf(await post('/v1/responses', { ...OSLO, tools: [MCP_WEATHER] }))
        expect(listed).toMatchObject({ type: 'mcp_list_tools', server_label: 'weather', tools: [{ name: 'now' }] })
      },
      async '--approval always asks for each call, though the request asks for none'({ post }) {
        const answered = await post('/v1/responses', { ...OSLO, tools: [MCP_WEATHER] })
        expect(typesOf(answered)).toEqual(['mcp_list_tools', 'mcp_approval_request'])
      },
    },
  },
]

function linesOf(folder: string, file: string): unknown[] {
  const path = join(folder, file)
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

function dayIn(timeZone: string, at: Date): string {
  return at.toLocaleDateString('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
}

/** A time zone in which today is another day than in UTC. */
export function otherDayZone(now: Date): string {
  return now.getUTCHours() < 11 ? 'Pacific/Niue' : 'Pacific/Kiritimati'
}
