import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import OpenAI, { APIError } from 'openai'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { run } from '../../src/cli/run.js'
import { configSchema } from '../../src/cli/serve/config-file.js'
import { serve as serveCommand } from '../../src/cli/serve-command.js'
import { replay } from '../../src/engines/sources/replay.js'
import { readTokenFixture } from '../../src/engines/sources/token-fixture.js'
import { loadTokenTable, translate } from '../../src/index.js'
import { checkEvents, readStreams } from '../../src/judge/conformance/index.js'
import { namedBlock } from '../docs/pages.js'
import { http } from '../endpoint/tools/mcp/fixtures.js'
import { encodeHarmony } from '../support/tokens.js'
import { type FakeIo, fakeIo, realFolder } from './io.js'
import { refusal, type Served, serve } from './served.js'

const FRANCE = { model: 'gpt-oss', input: 'What is the capital of France?' }

const SESAME = 'open-sesame-0123456789'

describe('serve --replay', () => {
  test('serve --replay answers the request that it prints', async () => {
    const { client, io } = await serve(['--replay'])
    expect(io.out).toContain(FRANCE.input)
    expect((await client.responses.create(FRANCE)).output_text).toBe('The capital of France is Paris.')
  })

  test('serve --replay streams events that the judge has nothing against', async () => {
    const { url } = await serve(['--replay'])
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ...FRANCE, stream: true })
    const text = await (await fetch(`${url}/v1/responses`, { method: 'POST', headers, body })).text()
    expect(readStreams(text).flatMap((events) => checkEvents(events))).toEqual([])
  })

  test('serve --replay runs the hosted calls of its recordings in several turns', async () => {
    const { client } = await serve(['--replay'])
    const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }] as const
    const response = await client.responses.create({
      model: 'gpt-oss',
      input: 'What is the 20th Fibonacci number?',
      include: ['code_interpreter_call.outputs'],
      tools: [...tools],
    })
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'code_interpreter_call', 'message'])
    expect(response.output_text).toBe('The 20th Fibonacci number is 6765.')
  })

  test('serve --replay plays a whole tool loop of the SDK by its script', async () => {
    const { client } = await serve(['--replay'])
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const tools = [{ type: 'function', name: 'get_weather', parameters, strict: null }] as const
    const first = await client.responses.create({ model: 'gpt-oss', input: 'The weather?', tools: [...tools] })
    const call = first.output.find((item) => item.type === 'function_call')
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: 'Paris' })
    const second = await client.responses.create({
      model: 'gpt-oss',
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: '22 degrees' }],
      tools: [...tools],
    })
    expect(second.output_text).toContain('22 degrees')
  })

  test('serve --replay plays the recordings of a folder, or of one file', async () => {
    const fixture = {
      version: 1,
      name: 'mine',
      request: { input: 'Ping' },
      tokens: ['<|channel|>final<|message|>Pong'],
    }
    const given = { readFile: async () => JSON.stringify(fixture) }
    const file = await serve(['--replay', 'mine.json'], {
      ...given,
      readFolder: fakeIo().readFolder,
    })
    const folder = await serve(['--replay', 'mine'], { ...given, readFolder: async () => ['mine.json', 'x.jsonl'] })
    for (const { client } of [file, folder]) {
      expect((await client.responses.create({ model: 'gpt-oss', input: 'Ping' })).output_text).toBe('Pong')
    }
  })
})

describe('what serve prints', () => {
  test('what serve prints fits into 80 columns, has lines for five clients, and no key', async () => {
    const given = { screen: { columns: 80, hasColors: false } }
    const secret = await serve(['--replay', '--api-key', SESAME, '--model-alias', "o'brien"], given)
    const open = await serve(['--replay'], given)
    for (const { io } of [secret, open]) {
      for (const line of io.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
      for (const client of ['curl', 'JavaScript', 'Python', 'Codex', 'Claude Code'])
        expect(io.out).toContain(`\n${client}`)
    }
    expect(secret.io.out + secret.io.err).not.toContain('sesame')
    expect(secret.io.out.match(/HARMONY_RESPONSES_API_KEY/g)).toHaveLength(5)
    expect(open.io.out).not.toContain('HARMONY_RESPONSES_API_KEY')
  })

  test('what serve prints has the colours of the other commands where there are colours', async () => {
    const { io } = await serve(['--replay'], { screen: { columns: 80, hasColors: true } })
    expect(io.out).toContain('\u001b[1mharmony-responses 1.2.3 listens on')
  })
})

describe('the options of serve', () => {
  test('--api-key is asked for, also by /metrics, and may come from the environment', async () => {
    const flag = await serve(['--replay', '--api-key', SESAME], {}, SESAME)
    const variable = await serve(['--replay'], { env: { HARMONY_RESPONSES_API_KEY: SESAME } }, SESAME)
    for (const { client, url } of [flag, variable]) {
      expect((await client.responses.create(FRANCE)).status).toBe('completed')
      const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'guess', maxRetries: 0 })
      await expect(stranger.responses.create(FRANCE)).rejects.toMatchObject({ status: 401 })
      expect((await fetch(`${url}/metrics`)).status).toBe(401)
      const headers = { authorization: `Bearer ${SESAME}` }
      expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200)
    }
  })

  test('--seal-keys, or the environment, has the keys of what clients keep, which opens after a restart', async () => {
    const [old, next] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
    const files = { 'keys.txt': `${next}\n${old}\n` }
    const ask = async ({ url }: Served, input: unknown) => {
      const body = { model: 'gpt-oss', store: false, include: ['reasoning.encrypted_content'], input }
      const response = await fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as { output: object[] } }
    }
    const first = await serve(['--replay'], { env: { HARMONY_RESPONSES_SEAL_KEYS: `${old}` } })
    const [reasoning] = (await ask(first, 'Is 91 prime?')).body.output
    expect(reasoning).toMatchObject({ type: 'reasoning', encrypted_content: expect.stringMatching(/^hr1\.rs\./) })
    const input = [{ role: 'user', content: 'Is 91 prime?' }, reasoning, { role: 'user', content: 'And 97?' }]

    const real = realFolder()
    const readFile = async (path: string) => files[path as 'keys.txt'] ?? (await real.readFile(path))
    const rotated = await serve(['--replay', '--seal-keys', 'keys.txt'], { readFile })
    expect((await ask(rotated, input)).status).toBe(200)
    const other = await serve(['--replay'], { env: { HARMONY_RESPONSES_SEAL_KEYS: `${next}` } })
    expect(await ask(other, input)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_encrypted_content', param: 'input[1].encrypted_content' } },
    })
    const drawn = await serve(['--replay'])
    expect((await ask(drawn, input)).status).toBe(200)
    expect(drawn.io.err).toContain(
      'unopened_seal: sealed content that no key here opens: the model continues without it; input[1].encrypted_content\n',
    )
    for (const { io } of [first, rotated, other, drawn]) {
      for (const key of [old, next]) expect(io.out + io.err).not.toContain(key)
    }
    const lost = 'no HARMONY_RESPONSES_SEAL_KEYS: no seal opens after a restart\n'
    expect([first, rotated, drawn].map(({ io }) => io.out.includes(lost))).toEqual([false, false, true])
  })

  describe('--unknown', () => {
    const France = 'What is the capital of France?'
    const REQUESTS = {
      '/v1/responses': { ...FRANCE, mood: 1, input: [{ role: 'user', content: France }, { type: 'dream' }] },
      '/v1/chat/completions': { model: 'gpt-oss', mood: 1, messages: [{ role: 'user', content: France }] },
      '/v1/messages': { model: 'gpt-oss', mood: 1, max_tokens: 99, messages: [{ role: 'user', content: France }] },
    }
    const statuses = async ({ url }: Served) => {
      const asked = Object.entries(REQUESTS).map(([path, body]) =>
        fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) }),
      )
      return (await Promise.all(asked)).map(({ status }) => status)
    }

    test('skip, the default, answers what nobody knows in all APIs, and logs each name once', async () => {
      for (const given of [[], ['--unknown', 'skip']]) {
        const served = await serve(['--replay', ...given])
        expect([await statuses(served), await statuses(served)].flat()).toEqual([200, 200, 200, 200, 200, 200])
        const told = served.io.err.match(/unknown_input: .*; .*$/gm)?.map((line) => line.split('; ').at(-1))
        expect(told?.sort()).toEqual(["input[] of type 'dream', mood", 'mood'])
      }
    })

    test('no name that a client invents reaches the log with control characters, or in full length', async () => {
      const { url, io } = await serve(['--replay'])
      const body = { ...FRANCE, [`\u001b[31m${'x'.repeat(10_000)}\n`]: 1 }
      expect((await fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify(body) })).status).toBe(200)
      const [line = ''] = io.err.match(/^.*unknown_input.*$/m) ?? []
      expect(line).toContain('xxx...')
      expect(line).not.toContain('\u001b')
      expect(line.length).toBeLessThan(300)
    })

    test('refuse answers 400 in all APIs', async () => {
      expect(await statuses(await serve(['--replay', '--unknown', 'refuse']))).toEqual([400, 400, 400])
      expect(await refusal(['--replay', '--unknown', 'drop'])).toEqual([2, expect.stringContaining('--unknown')])
    })
  })

  test('serve reports once that a request for Harmony messages has no effect, and nothing if it says false', async () => {
    const { url, io } = await serve(['--replay'])
    const ask = (enable_response_messages: boolean | null) =>
      fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify({ ...FRANCE, enable_response_messages }) })
    const quiet = await Promise.all([ask(false), ask(null)])
    expect([quiet.map(({ status }) => status), io.err]).toEqual([[200, 200], expect.not.stringContaining('ignored')])
    const asked = await Promise.all([ask(true), ask(true)])
    expect(asked.map(({ status }) => status)).toEqual([200, 200])
    expect(io.err.match(/ignored_parameter: .*; .*$/gm)).toEqual([expect.stringMatching(/; enable_response_messages$/)])
  })

  test('serve takes any name as a model, and with --model-alias only those and its own', async () => {
    const any = await serve(['--replay'])
    const named = await serve(['--replay', '--model-alias', 'gpt-5.4', '--model-alias', 'mine'])
    const list = async ({ client }: Served) => (await client.models.list()).data.map(({ id }) => id)
    expect([await list(any), await list(named)]).toEqual([['gpt-oss'], ['gpt-oss', 'gpt-5.4', 'mine']])
    expect((await any.client.responses.create({ ...FRANCE, model: 'gpt-5.4' })).model).toBe('gpt-5.4')
    expect((await named.client.responses.create({ ...FRANCE, model: 'mine' })).model).toBe('mine')
    const refused = await named.client.responses.create({ ...FRANCE, model: 'other' }).catch((error) => error)
    expect(refused).toBeInstanceOf(APIError)
    expect([refused.status, refused.code]).toEqual([404, 'model_not_found'])
  })

  describe('--reasoning', () => {
    const PRIME = { model: 'gpt-oss', input: 'Is 91 prime?' }
    const SUMMARIZED = { ...PRIME, reasoning: { summary: 'auto' as const } }
    const [text, summary] = [[{ type: 'reasoning_text' }], [{ type: 'summary_text' }]]

    test.each([
      ['as text if the request asks for no summary', [], PRIME, { content: text, summary: [] }],
      ['as a summary if the request asks for one', [], SUMMARIZED, { content: [], summary }],
      ['so with request', ['--reasoning', 'request'], SUMMARIZED, { content: [], summary }],
      ['as text with raw, whatever is asked', ['--reasoning', 'raw'], SUMMARIZED, { content: text, summary: [] }],
      ['as a summary with summary, unasked', ['--reasoning', 'summary'], PRIME, { content: [], summary }],
      ['both ways with both', ['--reasoning', 'both'], PRIME, { content: text, summary }],
      ['without its text with hidden', ['--reasoning', 'hidden'], SUMMARIZED, { content: [], summary: [] }],
    ])('serve shows reasoning %s', async (_, args, body, shown) => {
      const { client } = await serve(['--replay', ...args])
      const { output } = await client.responses.create(body)
      expect(output[0]).toMatchObject({ type: 'reasoning', ...shown })
    })

    test('serve streams the events of a summary to a request that asks for one, and of text to others', async () => {
      const { client } = await serve(['--replay'])
      const kindsOf = async (body: object): Promise<Set<string>> => {
        const stream = await client.responses.create({ ...PRIME, ...body, stream: true })
        const kinds = new Set<string>()
        for await (const { type } of stream) {
          const [, kind] = /^response\.(reasoning_(?:summary_)?text)\.delta$/.exec(type) ?? []
          if (kind !== undefined) kinds.add(kind)
        }
        return kinds
      }
      expect(await kindsOf({})).toEqual(new Set(['reasoning_text']))
      expect(await kindsOf(SUMMARIZED)).toEqual(new Set(['reasoning_summary_text']))
      expect(await kindsOf({ reasoning: { generate_summary: 'auto' } })).toEqual(new Set(['reasoning_summary_text']))
    })

    test.each([
      ['summary', PRIME, { content: [], summary }],
      ['request', SUMMARIZED, { content: [], summary }],
      ['raw', SUMMARIZED, { content: text, summary: [] }],
    ])('a configuration may say %s', async (reasoning, body, shown) => {
      const config = JSON.stringify({ replay: true, reasoning })
      const { client } = await serve(['--config', 'serve.json'], { readFile: readerOf(config, 'serve.json') })
      const { output } = await client.responses.create(body)
      expect(output[0]).toMatchObject({ type: 'reasoning', ...shown })
    })

    test('--reasoning request takes precedence over a configuration that hides reasoning', async () => {
      const config = JSON.stringify({ replay: true, reasoning: 'hidden' })
      const args = ['--config', 'serve.json', '--reasoning', 'request']
      const { client } = await serve(args, { readFile: readerOf(config, 'serve.json') })
      expect((await client.responses.create(PRIME)).output[0]).toMatchObject({ content: text })
    })

    test('--verbose and --record show a summary where the client gets one', async () => {
      const { client, io } = await serve(['--replay', '--verbose', '--record', 'out'])
      await client.responses.create(SUMMARIZED)
      expect(io.err).toContain('reasoning_summary_text.delta')
      expect(io.err).not.toContain('reasoning_text.delta')
      await expect.poll(() => Object.keys(io.written).length).toBe(1)
      const fixture = readTokenFixture(Object.values(io.written)[0] ?? '')
      expect(fixture.setup?.reasoning).toBeUndefined()
      const types = []
      const { request = {}, setup } = fixture
      const options = { request, ...(setup?.reasoning && { reasoning: setup.reasoning }) }
      for await (const { type } of translate(replay(fixture), { ...options, tokenTable: await loadTokenTable() }))
        types.push(type)
      expect(types).toContain('response.reasoning_summary_text.delta')
    })
  })

  test('--chat-reasoning names the fields that carry the reasoning in Chat Completions', async () => {
    const fieldsOf = async (...args: string[]): Promise<string[]> => {
      const { client } = await serve(['--replay', ...args])
      const messages = [{ role: 'user' as const, content: 'Is 91 prime?' }]
      const { choices } = await client.chat.completions.create({ model: 'gpt-oss', messages })
      return Object.keys(choices[0]?.message ?? {}).filter((name) => name.startsWith('reasoning'))
    }
    expect(await fieldsOf()).toEqual(['reasoning_content'])
    expect(await fieldsOf('--chat-reasoning', 'both')).toEqual(['reasoning_content', 'reasoning'])
    expect(await fieldsOf('--chat-reasoning', 'reasoning')).toEqual(['reasoning'])
  })

  test('--chat-calls reasoning names the calls that the server runs in the reasoning of Chat Completions', async () => {
    const server = new URL('../endpoint/tools/mcp/fixture-server.mjs', import.meta.url).pathname
    const { client } = await serve([
      '--replay',
      '--chat-calls',
      'reasoning',
      '--offer',
      `tools="${process.execPath}" ${server} stdio`,
    ])
    const messages = [{ role: 'user' as const, content: 'Call echo' }]
    const { choices } = await client.chat.completions.create({ model: 'gpt-oss', messages })
    expect(choices[0]?.message).toMatchObject({ reasoning_content: expect.stringContaining('Calls tools.echo.') })
  })

  test('--dialect open-responses ends streams with [DONE]', async () => {
    const { url } = await serve(['--replay', '--dialect', 'open-responses'])
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ ...FRANCE, stream: true })
    const text = await (await fetch(`${url}/v1/responses`, { method: 'POST', headers, body })).text()
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test('--unsupported-constraints refuse refuses a strict schema that the engine cannot enforce', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number', multipleOf: 0.01 } } }
    const format = { type: 'json_schema' as const, name: 'x', schema }
    const request = { model: 'gpt-oss', input: 'Hi', text: { format } }
    const stricter = await serve(['--replay', '--unsupported-constraints', 'refuse'])
    await expect(stricter.client.responses.create(request)).rejects.toMatchObject({ status: 400 })
    const lenient = await serve(['--replay'])
    expect((await lenient.client.responses.create(request)).status).toBe('completed')
  })

  test('without a key it refuses requests that a proxy forwarded, and --no-key serves it by any name', async () => {
    const through = async (args: readonly string[]): Promise<unknown[]> => {
      const { url, io } = await serve(args)
      const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'llm.example' }
      const response = await fetch(`${url}/v1/models`, { headers })
      return [response.status, io.err.includes('proxied_without_key')]
    }
    expect(await through(['--replay'])).toEqual([403, true])
    expect(await through(['--replay', '--no-key'])).toEqual([200, false])
    expect(await through(['--replay', '--no-key', '--host', '0.0.0.0'])).toEqual([200, false])
  })

  test('--images placeholder lets a conversation with images continue', async () => {
    const content = [{ type: 'input_image' as const, image_url: 'data:image/png;base64,AA==', detail: 'auto' as const }]
    const request = { model: 'gpt-oss', input: [{ role: 'user' as const, content }] }
    const strict = await serve(['--replay'])
    await expect(strict.client.responses.create(request)).rejects.toMatchObject({ status: 400 })
    const later = { ...request, input: [...request.input, { role: 'user' as const, content: 'Go on.' }] }
    expect((await strict.client.responses.create(later)).output_text).toContain('Go on.')
    const stricter = await serve(['--replay', '--images', 'refuse'])
    await expect(stricter.client.responses.create(later)).rejects.toMatchObject({ status: 400 })
    const lenient = await serve(['--replay', '--images', 'placeholder'])
    expect((await lenient.client.responses.create(request)).output_text).toContain('[image]')
  })

  test('--mcp runs the calls of a real server', async () => {
    const server = new URL('../endpoint/tools/mcp/fixture-server.mjs', import.meta.url).pathname
    const { client } = await serve(['--replay', '--mcp', `tools="${process.execPath}" ${server} stdio`])
    const { output } = await client.responses.create({
      model: 'gpt-oss',
      input: 'Call echo',
      tools: [{ type: 'mcp', server_label: 'tools', require_approval: 'never', server_url: 'http://10.0.0.1/' }],
    })
    expect(output.map(({ type }) => type)).toEqual(['mcp_list_tools', 'reasoning', 'mcp_call', 'reasoning', 'message'])
    expect(output[2]).toMatchObject({ name: 'echo', error: null })
  })

  test('--mcp-config sends a remote server the headers of the file, and none of a request', async () => {
    const server = await http()
    const text = `[mcp_servers.tools]\nurl = "${server.url}"\nbearer_token_env_var = "TOKEN"\n`
    const readFile = async (path: string) => (path === 'mcp.toml' ? text : realFolder().readFile(path))
    const { client, stop, exit } = await serve(['--replay', '--mcp-config', 'mcp.toml'], {
      readFile,
      env: { TOKEN: 'a' },
    })
    const tool = {
      type: 'mcp',
      server_label: 'tools',
      require_approval: 'never',
      server_url: 'http://10.0.0.1/',
    } as const
    const { output } = await client.responses.create({
      model: 'gpt-oss',
      input: 'Call echo',
      tools: [{ ...tool, authorization: 'evil', headers: { authorization: 'Bearer evil' } }],
    })
    expect(output.find(({ type }) => type === 'mcp_call')).toMatchObject({ server_label: 'tools', error: null })
    stop()
    await exit
    expect(new Set(server.asked.map(([, authorization]) => authorization))).toEqual(new Set(['Bearer a']))
  })

  test('--offer gives the tools of an MCP server to clients that declare none, of both APIs', async () => {
    const server = new URL('../endpoint/tools/mcp/fixture-server.mjs', import.meta.url).pathname
    const command = `tools="${process.execPath}" ${server} stdio`
    for (const args of [
      ['--offer', command],
      ['--mcp', command, '--offer', 'tools'],
    ]) {
      const { client, io, stop, exit } = await serve(['--replay', ...args, '--audit', 'calls.jsonl'])
      const { output, tools } = await client.responses.create({ model: 'gpt-oss', input: 'Call echo' })
      expect([output.map(({ type }) => type), tools]).toEqual([['reasoning', 'mcp_call', 'reasoning', 'message'], []])
      const messages = [{ role: 'user' as const, content: 'Call echo' }]
      const { choices } = await client.chat.completions.create({ model: 'gpt-oss', messages })
      expect([choices[0]?.finish_reason, choices[0]?.message.tool_calls]).toEqual(['stop', undefined])
      stop()
      await exit
      const calls = (io.written['calls.jsonl'] ?? '').trimEnd().split('\n')
      expect(calls.map((line) => JSON.parse(line).allowed_by)).toEqual(['operator', 'operator'])
    }
  })

  test("--offered-calls hidden leaves the calls of offered tools out of the Responses API's output", async () => {
    const server = new URL('../endpoint/tools/mcp/fixture-server.mjs', import.meta.url).pathname
    const offer = ['--offer', `tools="${process.execPath}" ${server} stdio`]
    const { client } = await serve(['--replay', '--offered-calls', 'hidden', ...offer])
    const { output } = await client.responses.create({ model: 'gpt-oss', input: 'Call echo' })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'message'])
  })

  test('--approval writes asks for the calls of tools that do not only read, regardless of the request', async () => {
    const server = new URL('../endpoint/tools/mcp/fixture-server.mjs', import.meta.url).pathname
    const { client } = await serve([
      '--replay',
      '--approval',
      'writes',
      '--offer',
      `tools="${process.execPath}" ${server} stdio`,
    ])
    const tools = [{ type: 'mcp', server_label: 'tools', require_approval: 'never', server_url: 'a' } as const]
    for (const more of [{}, { tools }]) {
      const last = async (input: string) => {
        const { output } = await client.responses.create({ model: 'gpt-oss', input, ...more })
        return output.at(-1)?.type
      }
      expect([await last('Call echo'), await last('Call silent')]).toEqual(['message', 'mcp_approval_request'])
    }
  })

  test('--audit has a line for each call that ran, with its arguments only where they are asked for', async () => {
    const server = new URL('../endpoint/tools/mcp/fixture-server.mjs', import.meta.url).pathname
    const mcp = ['--mcp', `tools="${process.execPath}" ${server} stdio`]
    const tools = [{ type: 'mcp', server_label: 'tools', require_approval: 'never', server_url: 'a' } as const]
    const lines: string[] = []
    for (const more of [[], ['--audit-arguments']]) {
      const { client, io, stop, exit } = await serve(['--replay', ...mcp, '--audit', 'calls.jsonl', ...more])
      const { id, output } = await client.responses.create({ model: 'gpt-oss', input: 'Call echo', tools })
      stop()
      await exit
      const { 'calls.jsonl': text = '' } = io.written
      lines.push(text)
      expect(text.endsWith('}\n')).toBe(true)
      const call = { response_id: id, item_id: output[2]?.id, type: 'mcp_call', server_label: 'tools', name: 'echo' }
      const { arguments: args, ...said } = JSON.parse(text)
      expect(said).toEqual({
        ...{ ...call, time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/), owner: 'anonymous' },
        ...{ allowed_by: 'request', approval_request_id: null, ms: expect.any(Number) },
        ...{ outcome: 'completed', error_code: null },
      })
      expect(args).toBe(more.length === 0 ? undefined : '{}')
      expect(Object.keys(said)).toEqual(Object.keys(JSON.parse(namedBlock('docs/serve.md', 'audit').code)))
    }
    expect(lines).toHaveLength(2)
  })

  test('a file for --audit that cannot be written is refused before anything is served', async () => {
    const appendFile = async () => {
      throw new Error("EACCES: permission denied, open '/calls'")
    }
    const refused = await refusal(['--replay', '--audit', '/calls'], { appendFile })
    expect(refused).toEqual([2, '--audit: cannot write /calls: permission denied'])
  })

  test('--mcp and --mcp-config may not name one server twice', async () => {
    const readFile = async () => '{"mcpServers": {"a": {"command": "x"}}}'
    const [code, line] = await refusal(['--script', 's', '--mcp', 'a=y', '--mcp-config', 'mcp.json'], { readFile })
    expect([code, line]).toEqual([2, '--mcp and --mcp-config: expected each label once, got "a" again'])
  })

  test('a server_label that --mcp does not name is logged once, with those that it names', async () => {
    const server = new URL('../endpoint/tools/mcp/fixture-server.mjs', import.meta.url).pathname
    const { client, io } = await serve(['--replay', '--mcp', `docs="${process.execPath}" ${server} stdio`])
    const tools = [{ type: 'mcp' as const, server_label: 'dcos', require_approval: 'never' as const, server_url: 'a' }]
    for (const input of ['Hi', 'Again']) {
      const { output } = await client.responses.create({ model: 'gpt-oss', input, tools })
      expect(JSON.stringify(output)).not.toContain('"docs"')
    }
    expect(io.err.split('"dcos"; there').length).toBe(2)
    expect(io.err).toMatch(/unknown_mcp_server.*"dcos"; there are? .*docs/)
  })

  test('output of a program of --mcp is logged with its label, without terminal control characters', async () => {
    const server = new URL('../endpoint/tools/mcp/raw-server.mjs', import.meta.url).pathname
    const { client, io, stop, exit } = await serve(['--replay', '--mcp', `tools="${process.execPath}" ${server} noisy`])
    const tools = [{ type: 'mcp' as const, server_label: 'tools', require_approval: 'never' as const, server_url: 'a' }]
    await client.responses.create({ model: 'gpt-oss', input: 'Call any', tools })
    stop()
    await exit
    expect(io.err).toContain('tools: \\u001b[2Jready\n')
    expect(io.err).toMatch(/^tools: \(\d+ more lines\)$/m)
    expect(io.err).not.toContain('\u001b[2J')
    expect(io.err).not.toContain('x'.repeat(1001))
  })

  test('--vllm, --sglang and --llama-server ask a server, and serve prints where it is', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.writeHead(503).end('{"error":{"message":"loading"}}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      for (const kind of ['vllm', 'sglang', 'llama-server']) {
        const { io, client } = await serve([`--${kind}`, `http://127.0.0.1:${port}`])
        expect(io.out).toContain(`${kind} at 127.0.0.1:${port}`)
        await client.models.list()
      }
      expect(asked.length).toBeGreaterThan(0)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

test('serve says which grammar backend a server has when a strict request first needs it: in the log and in /metrics', async () => {
  const ids = encodeHarmony('{}<|return|>')
  const meta_info = { finish_reason: { type: 'stop', matched: 200002 }, completion_tokens: ids.length }
  const answers: Readonly<Record<string, unknown>> = {
    '/v1/models': { data: [{ id: 'gpt-oss', max_model_len: 4096, owned_by: 'sglang' }] },
    '/tokenize': { tokens: [200006] },
    '/server_info': { grammar_backend: 'llguidance', max_req_input_len: 4090 },
  }
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    if (answer !== undefined) return void response.end(JSON.stringify(answer))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify({ output_ids: ids, meta_info })}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const { io, client } = await serve(['--sglang', `http://127.0.0.1:${port}`])
    const metrics = async () => await (await fetch(client.baseURL.replace(/v1$/, 'metrics'))).text()
    expect(io.out).toContain('grammar backend unknown until the first strict request')
    expect(await metrics()).toContain('harmony_grammar_backend_info{backend="unknown"} 1\n')
    const format = { type: 'json_schema', name: 'a', schema: { type: 'object' } } as const
    await client.responses.create({ model: 'gpt-oss', input: 'Hi', text: { format } }).catch(() => {})
    expect(io.err).toContain('sglang: the grammar backend is guidance\n')
    expect(await metrics()).toContain('harmony_grammar_backend_info{backend="guidance"} 1\n')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

describe('wrong usage of serve is one line and exit code 2', () => {
  test.each([
    [[], /^serve: expected one of --replay, --script, --model, --vllm, .*, got none$/],
    [['--replay', '--vllm', 'http://x'], /got --replay and --vllm$/],
    [['--vllm', 'localhost'], /^--vllm: url: expected an http or https URL/],
    [['--vllm', 'http://x', 'fixtures'], 'serve: expected no operand, got "fixtures"'],
    [['--replay', '--port', '99999'], '--port: expected a whole number from 0 to 65535, got "99999"'],
    [['--replay', '--host', '0.0.0.0'], /^--host 0\.0\.0\.0: others can reach it, so it needs a key/],
    [['--replay', '--no-key', '--api-key', 'k'], '--no-key: expected no key, got --api-key'],
    [['--replay', '--api-key', ''], '--api-key: expected KEY, got an empty text'],
    [
      ['--replay', '--api-key', 'undefined'],
      /^--api-key: expected a key that is set, got one that contains "undefined", as an unset/,
    ],
    [['--replay', '--api-key', 'hunter2'], '--api-key: expected a key of at least 16 characters, got one of 7'],
    [['--replay', '--api-key', ' 0123456789abcdef'], /^--api-key: expected a key without blanks around it/],
    [['--replay', '--no-key', '--api-keys', 'f'], '--no-key: expected no key, got --api-keys'],
    [['--replay', '--reasoning', 'loud'], /^--reasoning: expected one of request, raw, summary, both, hidden, got /],
    [['--replay', '--context-size', '8192'], /^--context-size: expected only with --model, --vllm.* or --[a-z-]+$/],
    [['--llama-server', 'http://127.0.0.1:9', '--context-size', '9'], /^--context-size: expected only with --model/],
    [['--model', 'x', '--context-size', '1'], '--context-size: expected a whole number of at least 2, got "1"'],
    [
      ['--replay', '--on-disconnect', 'soon'],
      /^--on-disconnect: expected one of stop, finish, or a whole number from 0 to 86400, got "soon"$/,
    ],
    [['--replay', '--on-disconnect', '86401'], /^--on-disconnect: expected .* from 0 to 86400, got "86401"$/],
    [['--replay', '--date', '2026-02-30'], '--date: expected YYYY-MM-DD or none, got "2026-02-30"'],
    [['--replay', '--date', 'today'], '--date: expected YYYY-MM-DD or none, got "today"'],
    [['--replay', '--time-zone', 'Mars'], '--time-zone: expected a time zone such as Europe/Rome, got "Mars"'],
    [['--replay', '--date', '2026-02-03', '--time-zone', 'UTC'], /^--time-zone: expected no --date beside it/],
    [['--replay', '--verbose', '--log', 'json'], /^--verbose: expected --log text, got json/],
    [['--replay', '--mcp-config', 'none.json'], 'cannot read none.json: no such file or directory'],
    [['--replay', '--offer', ''], '--offer: expected LABEL[=COMMAND|URL], got an empty text'],
    [
      ['--replay', '--offer', 'a'],
      '--offer a: expected the label of a server of --mcp or --mcp-config, of which there are: none',
    ],
    [
      ['--replay', '--offer', 'code_interpreter'],
      '--offer code_interpreter: serve does not run code_interpreter itself without --python auto: name an MCP server that does, --offer code_interpreter=COMMAND or --offer code_interpreter=URL',
    ],
    [
      ['--replay', '--offer', 'image_generation'],
      /^--offer image_generation: serve does not run image_generation itself/,
    ],
    [['--replay', '--offer', 'web_search_preview'], /^--offer web_search_preview: serve does not run/],
    [
      ['--replay', '--offer', 'web_search'],
      /^--offer web_search: serve does not run web_search itself without --search NAME:/,
    ],
    [['--replay', '--python', 'wasm'], '--python: expected one of auto, bwrap, docker, podman, got "wasm"'],
    [['--replay', '--python-network'], '--python-network: expected only with --python'],
    [
      ['--replay', '--python', 'bwrap', '--python-image', 'x'],
      '--python-image: expected only with --python docker, podman or auto',
    ],
    [['--replay', '--search', 'bing'], '--search: expected searxng=URL, brave, exa or tavily, got "bing"'],
    [
      ['--replay', '--search', 'https://me:pass@x'],
      '--search: expected searxng=URL, brave, exa or tavily, got another text',
    ],
    [['--replay', '--search', 'searxng'], '--search searxng: expected searxng=URL, the address of an instance'],
    [
      ['--replay', '--search', 'searxng=ftp://me:pass@x'],
      '--search searxng: url: expected an http or https URL, got text that is not a valid URL',
    ],
    [['--replay', '--search', 'brave'], '--search brave: expected its key in BRAVE_API_KEY or BRAVE_API_KEY_FILE'],
    [['--replay', '--search', 'exa=x'], '--search exa: expected no address, because exa has one of its own'],
    [['--replay', '--search-allow', 'x'], '--search-allow: expected only with --search'],
    [['--replay', '--search-domain', 'x'], '--search-domain: expected only with --search'],
    [['--replay', '--search-robots', 'obey'], '--search-robots: expected only with --search'],
    [
      ['--replay', '--search', 'searxng=http://x', '--search-allow', 'http://x/'],
      /^--search searxng: --search-allow: expected a list of hosts/,
    ],
    [['--replay', '--offer', 'apply_patch'], /^--offer apply_patch: expected the label of a server/],
    [['--replay', '--offer', 'browser'], /^--offer browser: serve does not run browser itself/],
    [['--replay', '--mcp', 'a=x', '--offer', 'a=x'], '--mcp and --offer: expected each label once, got "a" again'],
    [['--replay', '--offer', 'a=x', '--policy', 'functions-only'], /^serve: offered\.tools\[0\]: expected a policy/],
    [
      ['--replay', '--approval', 'sometimes'],
      '--approval: expected one of request, always, writes, never, got "sometimes"',
    ],
    [['--replay', '--instructions', 'none.txt'], 'cannot read none.txt: no such file or directory'],
    [['--replay', '--audit', ''], '--audit: expected FILE, got an empty text'],
    [['--replay', '--skip-model-check'], /^--skip-model-check: expected only with --vllm, --sglang.* or --[a-z-]+$/],
    [['--replay', '--durability', 'power'], '--durability: expected only with --store or HARMONY_RESPONSES_STORE'],
    [['--replay', '--audit-arguments'], '--audit-arguments: expected only with --audit'],
    [['--replay', '--mcp-config', ''], '--mcp-config: expected FILE, got an empty text'],
    [['--replay', '--mcp', 'tools'], '--mcp: expected label=command or label=url'],
    [['--replay', '--mcp', 'a=x', '--mcp', 'a=y'], '--mcp: expected each label once, got "a" again'],
    [['--replay', '--model-alias', ''], '--model-alias: expected NAME, got an empty text'],
    [['--replay', '--seal-keys', ''], '--seal-keys: expected FILE, got an empty text'],
    [['--replay', '--seal-keys', '/no/such/file'], 'cannot read /no/such/file: no such file or directory'],
    [['--replay', '/no/such/folder'], 'cannot read /no/such/folder: no such file or directory'],
    [['--model', '/no/such/model.gguf'], 'cannot read /no/such/model.gguf: no such file or directory'],
    [['--vllm', 'http://x', '--vllm', 'http://y'], '--vllm: expected once, got it more than once'],
    [['--replay', '--origins', 'x'], "Unknown option '--origins', did you mean --origin?"],
    [['--replay', '--origin', 'https://x/'], '--origin: expected an origin: https://x, got "https://x/"'],
    [['--replay', '--origin', 'x'], '--origin: expected an origin, such as https://chat.example.com, got "x"'],
    [['--replay', '--limit', 'turns'], /^--limit: expected NAME=VALUE, got "turns"/],
    [['--replay', '--limit', 'turnes=3'], '--limit: expected NAME=VALUE, got "turnes=3", did you mean turns?'],
    [['--replay', '--limit', 'turns=many'], '--limit turns: expected a number, got "many"'],
    [['--replay', '--limit', 'turns=1', '--limit', 'turns=2'], '--limit turns: expected once, got it more than once'],
    [['--replay', '--limit', 'queue=0.5'], /^serve: --limit queue: expected a whole number/],
    [['--replay', '--parallel', '2', '--limit', 'concurrency=3'], /^--parallel: expected it, or --limit concurrency/],
    [['--replay', '--delay', '1e3'], '--delay: expected a whole number from 0 to 10000, got "1e3"'],
    [['--vllm', 'http://x', '--delay', '5'], /^--delay: expected only with --replay or --script/],
    [['--replay', '--log', 'xml'], '--log: expected one of text, json, got "xml"'],
    [['--replay', '--record', ''], '--record: expected DIR, got an empty text'],
    [['--script', '/no/such/file'], 'cannot read /no/such/file: no such file or directory'],
    [['--replay', '--api-keys', '/no/such/file'], 'cannot read /no/such/file: no such file or directory'],
    [['--config', '/no/such/file'], 'cannot read /no/such/file: no such file or directory'],
    [['--model', '/tmp'], 'cannot read /tmp: expected a GGUF file'],
  ])('wrong usage of serve is one line and exit code 2: %j', async (args, said) => {
    const [code, line] = await refusal(args)
    expect([code, line.split('\n').length]).toEqual([2, 1])
    if (typeof said === 'string') expect(line).toBe(said)
    else expect(line).toMatch(said)
  })

  test('a key of the environment that is too short is one line of serve, which names the variable and not the key', async () => {
    const [code, line] = await refusal(['--replay'], { env: { HARMONY_RESPONSES_API_KEY: 'hunter2' } })
    const said = 'HARMONY_RESPONSES_API_KEY: expected a key of at least 16 characters, got one of 7'
    expect([code, line]).toEqual([2, said])
  })

  const KEY = Buffer.alloc(32, 7).toString('base64')
  const NO_KEY = 'correct-horse-battery-staple'
  test.each([
    [' ,\n', 'keys: expected at least one, got none'],
    [NO_KEY, 'key 1: expected 32 bytes or their base64, got 21 bytes'],
    [`${KEY},${NO_KEY}!`, 'key 2: expected 32 bytes or their base64, got a string that is not base64'],
    [`${KEY}\n${KEY}\n`, 'key 2: it is listed twice'],
    [KEY.slice(4), 'key 1: expected 32 bytes or their base64, got 29 bytes'],
  ])('keys of seals that are wrong are one line of serve, without the key: %j', async (text, said) => {
    const variable = await refusal(['--replay'], { env: { HARMONY_RESPONSES_SEAL_KEYS: text } })
    const file = await refusal(['--replay', '--seal-keys', 'keys.txt'], { readFile: async () => text })
    expect(variable).toEqual([2, `HARMONY_RESPONSES_SEAL_KEYS: ${said}`])
    expect(file).toEqual([2, `--seal-keys keys.txt: ${said}`])
  })

  test('serve does not print a key that is given instead of its file', async () => {
    const [code, line] = await refusal(['--replay', '--seal-keys', KEY])
    expect([code, line]).toEqual([2, '--seal-keys: expected a file, got a key: use HARMONY_RESPONSES_SEAL_KEYS for it'])
  })

  test('serve names the file of a recording that is not valid', async () => {
    const given = { readFolder: async () => ['a.json'], readFile: async () => '{"version":2}' }
    expect(await refusal(['--replay', 'mine/'], given)).toEqual([2, 'mine/a.json: version: expected 1, got 2'])
  })

  test('serve reports a port in use in one line, and exits with 2', async () => {
    const { url } = await serve(['--replay'])
    const { port } = new URL(url)
    expect(await refusal(['--replay', '--port', port])).toEqual([2, `serve: port ${port} is in use`])
  })
})

describe('serve --script', () => {
  const given = (script: unknown): Partial<FakeIo> => ({ readFile: async () => JSON.stringify(script) })

  test('serve --script plays the turns of the file, and begins again after the last', async () => {
    const { client } = await serve(
      ['--script', 'turns.json'],
      given([{ answer: 'One' }, [{ think: 'Hm' }, { answer: 'Two' }]]),
    )
    const texts: string[] = []
    for (const _ of [1, 2, 3]) texts.push((await client.responses.create(FRANCE)).output_text)
    expect(texts).toEqual(['One', 'Two', 'One'])
  })

  test('serve --script plays the script of docs/serve.md, turn by turn', async () => {
    const { code } = namedBlock('docs/serve.md', 'script')
    const { client } = await serve(['--script', 'turns.json'], { readFile: async () => code })
    const create = () => client.responses.create({ ...FRANCE, store: false })
    expect((await create()).output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
    expect((await create()).output_text).toBe('22 degrees in Rome.')
    await expect(create()).rejects.toMatchObject({ status: 429, message: expect.stringContaining('busy') })
    await expect(create()).rejects.toMatchObject({ status: 500 })
    const hangs = await client.responses.create({ ...FRANCE, stream: true })
    for await (const event of hangs) if (event.type === 'response.reasoning_text.delta') break
    expect((await create()).output_text).toBe('Harmony, with literal markers.')
  })

  test('serve --script fails where the file says so, also in the middle of an answer', async () => {
    const { client } = await serve(
      ['--script', 'turns.json'],
      given([
        { fail: 'rate_limit_exceeded', message: 'busy' },
        { first: 4, of: { answer: 'Never whole' }, rest: { fail: 'server_error' } },
      ]),
    )
    await expect(client.responses.create(FRANCE)).rejects.toMatchObject({ status: 429 })
    const types: string[] = []
    const stream = await client.responses.create({ ...FRANCE, stream: true })
    await expect(
      (async () => {
        for await (const { type } of stream) types.push(type)
      })(),
    ).rejects.toThrow('The server had an internal error.')
    expect(types).toContain('response.output_text.delta')
  })

  test('serve --script calls tools with the arguments of the file', async () => {
    const { client } = await serve(
      ['--script', 'turns.json'],
      given([{ call: 'functions.get_weather', arguments: { city: 'Rome' } }]),
    )
    const tools = [{ type: 'function' as const, name: 'get_weather', parameters: {}, strict: false }]
    const { output } = await client.responses.create({ ...FRANCE, tools })
    expect(output.at(-1)).toMatchObject({ type: 'function_call', arguments: '{"city":"Rome"}' })
  })

  test('serve --script plays Harmony with literal markers', async () => {
    const { client } = await serve(['--script', 'turns.json'], given(['<|channel|>final<|message|>Raw<|return|>']))
    expect((await client.responses.create(FRANCE)).output_text).toBe('Raw')
  })

  test.each([
    ['{', /^--script turns\.json: expected JSON/],
    ['[]', /^--script turns\.json: expected a list of turns/],
    ['[{"answer":"x"},{"anwser":"x"}]', /^--script turns\.json: \[1\]: expected a list of turns/],
    ['[{"fail":"oops"}]', /^--script turns\.json: \[0\]: expected a list of turns/],
  ])('a script that is wrong is one line of serve: %j', async (text, said) => {
    const [code, line] = await refusal(['--script', 'turns.json'], { readFile: async () => text })
    expect([code, line.split('\n').length]).toEqual([2, 1])
    expect(line).toMatch(said)
  })
})

test('--delay lets a client cancel a replay in the middle, and see how far it was', async () => {
  const { client } = await serve(['--replay', '--delay', '200'])
  const stream = await client.responses.create({ ...FRANCE, stream: true })
  const types: string[] = []
  for await (const event of stream) {
    types.push(event.type)
    if (event.type === 'response.created') {
      const created = await client.responses.retrieve(event.response.id)
      expect(created.status).toBe('in_progress')
      break
    }
  }
  expect(types).not.toContain('response.completed')
})

describe('serve --api-keys', () => {
  const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex')
  const file = `# the team\nann ${sha256('ann-key')}\n\nbob  ${sha256('bob-key').toUpperCase()} # until May\n`

  test('--api-keys lets each owner in by a key of which the file has the hash alone', async () => {
    const { url, client, io } = await serve(
      ['--replay', '--api-keys', 'keys.txt'],
      { readFile: readerOf(file) },
      'ann-key',
    )
    const { id } = await client.responses.create(FRANCE)
    const bob = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'bob-key', maxRetries: 0 })
    await expect(bob.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
    for (const apiKey of ['eve-key', sha256('ann-key'), 'ann']) {
      const other = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
      await expect(other.models.list()).rejects.toMatchObject({ status: 401 })
    }
    expect(io.err).toMatch(/owner ann {2}req_/)
    expect(io.err).toMatch(/ 401 .*invalid_api_key {2}req_/)
  })

  test('--api-key and --api-keys let in all of their owners', async () => {
    const { url } = await serve(['--replay', '--api-keys', 'keys.txt', '--api-key', SESAME], {
      readFile: readerOf(file),
    })
    for (const apiKey of [SESAME, 'bob-key']) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
      expect((await client.models.list()).data[0]?.id).toBe('gpt-oss')
    }
  })

  test.each([
    ['# nobody\n', 'expected at least one line, OWNER SHA256'],
    [`ann ${sha256('')}`, 'line 1: expected the SHA-256 of a key, got that of an empty text'],
    ['ann correct-horse', 'line 1: expected OWNER and the SHA-256 of its key in hexadecimal digits'],
    [`ann ${sha256('x')}\nbob ${sha256('x')}`, 'line 2: expected each key once'],
  ])('keys that are wrong are one line of serve, which does not show them: %j', async (text, said) => {
    const [code, line] = await refusal(['--replay', '--api-keys', 'keys.txt'], { readFile: async () => text })
    expect(code).toBe(2)
    expect(line).toContain(said)
    expect(line).not.toContain('horse')
  })
})

describe('serve --config', () => {
  test('an error of a file that is no JSON quotes nothing of it, since it may have a key', async () => {
    for (const text of [
      '{"api-key": hunter2}',
      '{"api-key": "hunter2" "port": 1}',
      'hunter2',
      '{"api-key": "hunter2',
    ]) {
      const io = fakeIo({ 'serve.json': text })
      expect(await run(['serve', '--config', 'serve.json'], io)).toBe(2)
      expect(io.err).toMatch(/^harmony-responses: --config serve\.json: expected JSON: \S/)
      expect(io.err).not.toContain('hunter')
    }
  })

  test('--config gives the options by their names, and the command line takes precedence', async () => {
    const config = { replay: true, 'model-alias': ['oss'], limit: { turns: 3 }, reasoning: 'hidden' }
    const { client } = await serve(['--config', 'serve.json', '--model-alias', 'mine'], {
      readFile: readerOf(JSON.stringify(config), 'serve.json'),
    })
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['gpt-oss', 'mine'])
    const { output } = await client.responses.create(FRANCE)
    expect(JSON.stringify(output)).not.toContain('"reasoning_text"')
  })

  test('an engine that is typed replaces that of --config', async () => {
    const script = JSON.stringify([{ answer: 'Scripted' }])
    const given = { readFile: async (path: string) => (path === 'serve.json' ? '{"replay": "recordings"}' : script) }
    const { client } = await serve(['--config', 'serve.json', '--script', 'turns.json'], given)
    expect((await client.responses.create(FRANCE)).output_text).toBe('Scripted')
  })

  test.each([
    ['{"replay": true', /^--config serve\.json: expected JSON/],
    [
      '{"replay": true, "orgin": []}',
      '--config serve.json: expected an option of serve, got "orgin", did you mean origin?',
    ],
    ['{"replay": true, "port": "x"}', /^--config serve\.json: port: .*expected number, received string/],
    [
      '{"replay": true, "limit": {"turnes": 1}}',
      '--config serve.json: limit: expected a limit, got "turnes", did you mean turns?',
    ],
    ['{"replay": true, "config": "more.json"}', '--config serve.json: expected an option of serve, got "config"'],
    ['{"vllm": "http://x", "replay": true}', /got --replay and --vllm$/],
  ])('a configuration that is wrong is one line of serve: %s', async (text, said) => {
    const [code, line] = await refusal(['--config', 'serve.json'], { readFile: async () => text })
    expect([code, line.split('\n').length]).toEqual([2, 1])
    if (typeof said === 'string') expect(line).toBe(said)
    else expect(line).toMatch(said)
  })

  test('the JSON Schema that the package has is that of this version', async () => {
    const text = `${JSON.stringify(configSchema(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot('../../docs/serve-config.schema.json')
  })

  test('every option of serve can be in a configuration, and no other', () => {
    const { properties } = configSchema() as { properties: object }
    const options = Object.keys(serveCommand.options).filter((name) => name !== 'config')
    expect(Object.keys(properties).toSorted()).toEqual(['$schema', ...options].toSorted())
  })
})

describe('serve --record', () => {
  test("--record writes a fixture of each response, which plays back the client's events, without the input", async () => {
    const { client, io } = await serve(['--replay', '--record', 'out/'])
    const { id } = await client.responses.create(FRANCE)
    await expect.poll(() => Object.keys(io.written)).toEqual([`out/${id}.json`])
    const text = io.written[`out/${id}.json`] ?? ''
    expect(text).not.toContain(FRANCE.input)
    const again = await serve(['--replay', 'one.json'], { readFile: async () => text, readFolder: fakeIo().readFolder })
    expect((await again.client.responses.create({ ...FRANCE, input: 'Else' })).output_text).toBe(
      'The capital of France is Paris.',
    )
  })

  test('a recording of a tool loop gives the events that the client saw', async () => {
    const { client, io } = await serve(['--replay', '--record', 'out'])
    const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }]
    const seen = await client.responses.create({ ...FRANCE, input: 'Run some code', tools })
    await expect.poll(() => Object.keys(io.written).length).toBe(1)
    const [text = ''] = Object.values(io.written)
    let output: readonly { readonly type: string }[] = []
    const fixture = readTokenFixture(text)
    const options = { request: fixture.request ?? {}, tokenTable: await loadTokenTable() }
    for await (const event of translate(replay(fixture), options))
      if ('response' in event) output = event.response.output
    expect(output.map(({ type }) => type)).toEqual(seen.output.map(({ type }) => type))
    expect(JSON.stringify(output)).toContain('print(6 * 7)')
  })

  test('a folder that cannot be made is refused at the start', async () => {
    const makeFolder = async (): Promise<void> => {
      throw Object.assign(new Error("ENOENT: no such file or directory, mkdir '/proc/x'"), { code: 'ENOENT' })
    }
    const io = Object.assign(fakeIo(), { makeFolder })
    expect(await run(['serve', '--replay', '--port', '0', '--record', '/proc/x'], io)).toBe(2)
    expect(io.err).toBe('harmony-responses: cannot write /proc/x: no such file or directory\n')
  })

  test('a recording that cannot be written is a line of the log, and the answer is given', async () => {
    const writeFile = async (): Promise<void> => {
      throw Object.assign(new Error("ENOSPC: no space left on device, open 'x'"), { code: 'ENOSPC' })
    }
    const { client, io } = await serve(['--replay', '--record', 'out'], { writeFile })
    const { id } = await client.responses.create(FRANCE)
    await expect.poll(() => io.err).toContain(`cannot write out/${id}.json: no space left on device`)
  })
})

test('a server with another model makes /readyz and requests 503, which name the found model', async () => {
  const server = createServer((request, response) => {
    const isTokenizer = request.url === '/tokenize'
    response.end(isTokenizer ? '{"tokens":[1,2]}' : '{"data":[{"id":"Qwen/Qwen3-8B","owned_by":"vllm"}]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { url, io } = await serve(['--vllm', address])
  const found = 'expected a gpt-oss model, where <|start|> is 200006, got "Qwen/Qwen3-8B", where it is 2 tokens'
  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, await ready.text()]).toEqual([503, `not ready: ${found}`])
  const answer = await fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify(FRANCE) })
  expect([answer.status, JSON.stringify(await answer.json())]).toEqual([503, expect.stringContaining('Qwen/Qwen3-8B')])
  expect(io.err).toContain(found)
  await new Promise((resolve) => server.close(resolve))
})

test('--skip-model-check trusts a server that cannot prove its model', async () => {
  const server = createServer((_, response) => response.end('{"data":[{"id":"mine"}]}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { url } = await serve(['--vllm', address, '--skip-model-check'])
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  await new Promise((resolve) => server.close(resolve))
})

describe('an engine that is down', () => {
  const refusalsOf = (io: FakeIo): string[] => io.err.split('\n').filter((line) => line.includes('cannot connect'))

  test('an engine that is down is 503 with Retry-After, for streams too, and one line of the log a request', async () => {
    const { url, io } = await serve(['--vllm', 'http://127.0.0.1:9'])
    await expect.poll(() => io.err).toContain('the engine does not answer yet')
    for (const stream of [false, true]) {
      const before = refusalsOf(io).length
      const answer = await fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify({ ...FRANCE, stream }) })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await answer.json()).toMatchObject({
        error: { code: 'server_is_overloaded', message: 'The model is not available. Please try again later.' },
      })
      expect(refusalsOf(io).length - before).toBe(1)
    }
    expect(io.err).toMatch(/POST \/v1\/responses 503 .*server_is_overloaded/)
  })

  test('an engine that goes down later is 503 with Retry-After as well', async () => {
    const server = createServer((request, response) => {
      const isModels = request.url?.endsWith('/v1/models')
      response.end(isModels ? '{"data":[{"id":"openai/gpt-oss-20b","max_model_len":4096}]}' : '')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { url } = await serve(['--vllm', `http://127.0.0.1:${(server.address() as AddressInfo).port}`])
    const ask = (): Promise<Response> => fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify(FRANCE) })
    await ask()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    const answer = await ask()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  })
})

test('--origin allows the pages of a site to send requests, and no others', async () => {
  const { url } = await serve(['--replay', '--origin', 'https://chat.example.com'])
  const ask = (origin: string): Promise<Response> => fetch(`${url}/v1/models`, { headers: { origin } })
  const allowed = await ask('https://chat.example.com')
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'https://chat.example.com',
  ])
  expect((await ask('https://evil.example.com')).status).toBe(403)
})

test('--limit sets a limit of the server', async () => {
  const { client } = await serve(['--replay', '--limit', 'bodyBytes=100', '--limit', 'tools=1'])
  await expect(client.responses.create({ ...FRANCE, input: 'x'.repeat(200) })).rejects.toMatchObject({ status: 413 })
})

test('an MCP server that cannot be started is reported when serve starts', async () => {
  const { io } = await serve(['--replay', '--mcp', 'weather=no-such-program-anywhere'])
  while (!io.err.includes('\n')) await new Promise((resolve) => setImmediate(resolve))
  expect(io.err).toMatch(/^harmony-responses: MCP server weather: .*no-such-program-anywhere.*\n$/)
})

test('--log json writes an object for each request, refusals too, with the id that the client sees', async () => {
  const { url, io } = await serve(['--replay', '--log', 'json'])
  const refused = await fetch(`${url}/v1/responses`, { method: 'POST', body: '{"input": 5}' })
  const [started, line] = io.err.trimEnd().split('\n')
  expect(io.out).toBe('')
  expect(JSON.parse(started ?? '')).toEqual({
    ...{ time: '2026-01-31T12:34:56Z', event: 'listening', version: '1.2.3', url: `${url}/v1`, store: null },
    ...{ engine: expect.stringContaining('recordings'), models: ['gpt-oss'], has_key: false },
  })
  expect(JSON.parse(line ?? '')).toMatchObject({
    request_id: refused.headers.get('x-request-id'),
    status: 400,
    code: 'invalid_type',
    param: 'input',
  })
})

/** Returns this text for every file, or for one file only: the fixtures of the package are read as they are. */
function readerOf(text: string, file = 'keys.txt'): FakeIo['readFile'] {
  const { readFile } = realFolder()
  return (path) => (path === file ? Promise.resolve(text) : readFile(path))
}

describe('what serve writes about requests', () => {
  test('serve writes a line for each request, with its duration, and no text of the conversation', async () => {
    const { client, io } = await serve(['--replay'])
    const { id, usage } = await client.responses.create(FRANCE)
    await client.responses.retrieve(id)
    const [created, retrieved, ...others] = io.err.trimEnd().split('\n')
    const { input_tokens, output_tokens } = usage ?? {}
    expect(created?.replace(/\d+ ms/, 'TIME').replace(/req_[\da-f]{32}$/, 'ID')).toBe(
      `12:34:56  POST /v1/responses 200  TIME  gpt-oss  ${input_tokens} in, ${output_tokens} out  ${id}  ID`,
    )
    expect(retrieved).toMatch(new RegExp(`GET /v1/responses/${id} 200`))
    expect(others).toEqual([])
    expect(io.err).not.toMatch(/France|Paris/)
  })

  test('the line of a response ends with the declared tools that nothing runs', async () => {
    const { client, io } = await serve(['--replay'])
    const tools = [{ type: 'image_generation' }, { type: 'tool_search' }, { type: 'code_interpreter' }]
    const { id } = await client.responses.create({ ...FRANCE, tools: tools as never })
    expect(io.err).toMatch(
      new RegExp(`^12:34:56 {2}POST .* {2}${id} {2}without image_generation, tool_search {2}req_[\\da-f]{32}\n$`),
    )
  })

  test('no path and no name of a model can forge a line that serve writes', async () => {
    const { client, io, url } = await serve(['--replay'])
    await fetch(`${url}/v1/x%0a12:34:56%20%20POST%1b[2J?key=secret`)
    await client.responses.create({ ...FRANCE, model: 'a\n12:34:56  GET /admin 200\u001b[31m' })
    const lines = io.err.trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(io.err).not.toContain('\u001b')
    expect(io.err).not.toContain('secret')
    expect(lines.every((line) => /^12:34:56 {2}(GET|POST) \/v1\//.test(line))).toBe(true)
  })

  test('/metrics counts a response under names that clients cannot make', async () => {
    const { client, url } = await serve(['--replay'])
    await client.responses.create({ ...FRANCE, model: 'x"} 1\nforged 2' })
    const answer = await fetch(`${url}/metrics`)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await answer.text()
    expect(text).toContain('harmony_responses_total{model="other",status="completed"} 1\n')
    expect(text).not.toContain('forged')
  })

  test('/metrics is not for pages of other hosts', async () => {
    const { url } = await serve(['--replay'])
    expect((await fetch(`${url}/metrics`, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
  })

  test('--verbose draws the timeline of each response, one after the other', async () => {
    const { client, io } = await serve(['--replay', '--verbose'])
    const asked = [1, 2, 3].map((n) => client.responses.create({ model: 'gpt-oss', input: `\u001b[31mNumber ${n}` }))
    const ids = (await Promise.all(asked)).map(({ id }) => id)
    const blocks = io.err.split(/^(?=resp_)/m).filter((block) => block.startsWith('resp_'))
    expect(blocks.map((block) => block.split('\n')[0]).toSorted()).toEqual(ids.toSorted())
    for (const block of blocks) expect(block.match(/^response completed resp_/gm)).toHaveLength(1)
    expect(io.err).toContain('reasoning_text.delta')
    expect(io.err).not.toContain('\u001b')
  })

  test('--verbose shows tools, and of a request that is refused its line alone', async () => {
    const { client, io } = await serve(['--replay', '--verbose'])
    const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }]
    await client.responses.create({ model: 'gpt-oss', input: 'What is the 20th Fibonacci number?', tools })
    expect(io.err).toContain('code_interpreter_call.completed')
    const shown = io.err.length
    await expect(client.responses.create({ model: 'gpt-oss', input: [{ role: 'no' }] as never })).rejects.toThrow()
    expect(io.err.slice(shown)).toMatch(/^[^\n]* 400 [^\n]*\n$/)
  })
})

test.each([[], ['--context-size', '512', '--parallel', '2']])(
  'serve --model says what to install, if node-llama-cpp is missing, with %j too',
  async (...options) => {
    // Whichever file: it is not installed here. test/engine/serve.test.ts has it, and a model.
    const file = fileURLToPath(import.meta.url)
    const said = `--model ${file}: node-llama-cpp is not installed: npm install node-llama-cpp@3`
    expect(await refusal(['--model', file, ...options])).toEqual([2, said])
  },
)

describe('serve is stopped', () => {
  test('serve that is stopped once takes no more requests and exits with 0', async () => {
    const { stop, exit, url, client } = await serve(['--replay'])
    await client.responses.create(FRANCE)
    stop()
    expect(await exit).toBe(0)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })

  test('serve that is stopped once finishes the response in progress', async () => {
    const { stop, exit, client, io } = await serve(['--replay'])
    const stream = await client.responses.create({ ...FRANCE, stream: true })
    const types: string[] = []
    for await (const { type } of stream) {
      if (types.length === 0) stop()
      types.push(type)
    }
    expect(types.at(-1)).toBe('response.completed')
    expect(await exit).toBe(0)
    expect(io.err).not.toContain('error')
  })

  test('serve that is stopped twice ends at once, although its engine hangs', async () => {
    const engine = createServer(() => {})
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
    const { port } = engine.address() as AddressInfo
    try {
      const { stop, exit, client, io, url } = await serve(['--llama-server', `http://127.0.0.1:${port}`])
      const asked = new Promise((resolve) => engine.on('request', resolve))
      const answer = client.responses.create(FRANCE).catch((error) => error)
      await asked
      while (!(await (await fetch(`${url}/metrics`)).text()).includes('harmony_responses_running 1'));
      stop()
      stop()
      expect(await exit).toBe(130)
      expect(await answer).toBeInstanceOf(Error)
      expect(io.err).toContain('waits for 1 response')
    } finally {
      engine.closeAllConnections()
      engine.close()
    }
  })
})

test('a response over the WebSocket has its line, its tokens and its place in the metrics', async () => {
  const { io, url } = await serve(['--replay'])
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`)
  await new Promise((resolve) => socket.on('open', resolve))
  const over = new Promise<string>((resolve) => {
    socket.on('message', (data) => {
      const { type, response } = JSON.parse(String(data))
      if (type === 'response.completed') resolve(response.id)
    })
  })
  socket.send(JSON.stringify({ type: 'response.create', ...FRANCE }))
  const id = await over
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text).toContain('harmony_responses_total{model="gpt-oss",status="completed"} 1\n')
  expect(io.err).toMatch(new RegExp(`^12:34:56 {2}socket response.create .* 74 in, 11 out {2}${id}$`, 'm'))
  expect(io.err).toMatch(/^12:34:56 {2}GET \/v1\/responses 101 {2}\d+ ms {2}req_[\da-f]{32}$/m)
  socket.close()
})
