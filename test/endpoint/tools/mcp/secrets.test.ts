import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { McpServerConfig } from '../../../../src/endpoint/tools/mcp/index.js'
import { concealerOf } from '../../../../src/endpoint/tools/mcp/secrets.js'
import { context, declaring, later, mcpCall, raw, toolsOf } from './fixtures.js'

const CANARY = 'canary-5e1f"7ü'
const ASCII = 'canary-5e1f77'

type Reply = readonly [status: number, type: string, body: string]

/** A server that repeats what it is given. `reply` gets the headers and the address of the request, as it would log them. */
async function repeating(reply: (method: string, id: unknown, words: string) => Reply | undefined): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(text)
    const words = `refused ${request.headers.authorization} ${request.headers['x-api-key']} at ${request.url}`
    const greeting = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
    }
    const result = method === 'initialize' ? greeting : { tools: [] }
    const usual: Reply = [200, 'application/json', JSON.stringify({ jsonrpc: '2.0', id, result })]
    if (id === undefined) return void response.writeHead(202).end()
    const [status, type, body] = reply(method, id, words) ?? usual
    response.writeHead(status, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  later(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?key=${ASCII}q`
}

const json = (id: unknown, more: object): string => JSON.stringify({ jsonrpc: '2.0', id, ...more })
const headers = { authorization: `Bearer ${ASCII}`, 'x-api-key': `${ASCII}k` }

const REPLIES: readonly [string, (method: string, id: unknown, words: string) => Reply | undefined][] = [
  ['the text of a refusal', (method, _, words) => (method === 'initialize' ? [401, 'text/plain', words] : undefined)],
  ['a refusal of a call', (method, _, words) => (method === 'tools/call' ? [500, 'text/plain', words] : undefined)],
  ['what is no JSON', (method) => (method === 'tools/call' ? [200, 'application/json', ASCII] : undefined)],
  [
    'an error of the protocol',
    (method, id, words) =>
      method === 'initialize'
        ? undefined
        : [200, 'application/json', json(id, { error: { code: 1, message: words, data: { words } } })],
  ],
  [
    'the depths of an error of the protocol',
    (method, id, words) =>
      method === 'tools/list'
        ? [
            200,
            'application/json',
            json(id, { error: { code: 1, message: 'no', data: { a: { b: { c: { d: words } } } } } }),
          ]
        : undefined,
  ],
  [
    'a tool that failed',
    (method, id, words) =>
      method === 'tools/call'
        ? [200, 'application/json', json(id, { result: { isError: true, content: [{ type: 'text', text: words }] } })]
        : undefined,
  ],
  ['its type', (method, _, words) => (method === 'tools/call' ? [200, words.replace(/[^\w]/g, '-'), '{}'] : undefined)],
]

describe('credentials that a server repeats', () => {
  test.each(REPLIES)('in %s reach neither the operator, nor the model', async (_, reply) => {
    const { tools, told } = toolsOf({ weather: { url: await repeating(reply), headers } })
    const listings = await tools.listings(declaring('weather'), context())
    const result = await tools.run(mcpCall('any'), context())
    expect(result).toHaveProperty('error')
    const seen = inspect([listings, result, told], { depth: 20, showHidden: true })
    expect(seen).not.toContain('canary')
  })

  test.each([
    [
      'a tool that failed',
      (words: string) => ({ result: { isError: true, content: [{ type: 'text', text: words }] } }),
    ],
    ['an error of the protocol', (words: string) => ({ error: { code: 1, message: words } })],
  ])('are hidden also where the text of %s is cut off', async (_, answer) => {
    let padding = 40
    const url = await repeating((method, id) => {
      if (method !== 'tools/call') return
      return [200, 'application/json', json(id, answer('.'.repeat(padding) + ASCII + '.'.repeat(90)))]
    })
    const { tools } = toolsOf({ weather: { url, headers } }, { maxOutputBytes: 100 })
    const said: string[] = []
    for (; padding < 80; padding++) {
      const { error } = await tools.run(mcpCall('any'), context())
      said.push(error?.message ?? '')
    }
    expect(said).toHaveLength(40)
    for (const message of said) expect(message).toMatch(/^\.+[[hiden\]]*\.*\n\[cut off: \d+ bytes in all\]$/)
  })

  test('an error keeps its name, its status and its other words', async () => {
    const url = await repeating((_, __, words) => [401, 'text/plain', words])
    const { tools, told } = toolsOf({ weather: { url, headers } })
    await tools.listings(declaring('weather'), context())
    expect(told[0]?.error).toMatchObject({
      name: 'SdkHttpError',
      status: 401,
      message: expect.stringContaining('refused Bearer [hidden] [hidden] at /mcp?key=[hidden]'),
    })
  })

  test('of a program, variables that are named like secrets are hidden, and others are not', async () => {
    const lines: string[] = []
    const env = { API_TOKEN: CANARY, FOLDER: '/srv/files' }
    const stderr = (line: string): void => void lines.push(line)
    const config = { ...raw('repeats its token'), env, stderr } as McpServerConfig
    const { tools } = toolsOf({ weather: config })
    const { error } = await tools.run(mcpCall('any'), context())
    await tools.close()
    expect(error?.message).toBe('bad token [hidden] in /srv/files')
    expect(lines).toEqual(['starting with [hidden] in /srv/files'])
  })

  test('in the address, also as a user and a password, are in no error', async () => {
    const url = `http://user-${ASCII}:pass-${ASCII}@127.0.0.1:1/mcp?token=${encodeURIComponent(CANARY)}`
    const { tools, told } = toolsOf({ weather: { url } })
    await tools.run(mcpCall('any'), context())
    expect(told).toHaveLength(1)
    expect(inspect(told, { depth: 20, showHidden: true })).not.toContain('canary')
  })
})

describe('what counts as a credential', () => {
  const ORDINARY = 'isError: false, none of 4096 tokens, alice read application/json over http by default, as Bearer'

  test.each<[string, McpServerConfig]>([
    [
      'variables that only begin like secrets, or have the value of a switch',
      {
        command: 'x',
        env: { TOKENIZERS_PARALLELISM: 'false', MAX_TOKENS: '4096', AUTHOR: 'alice', AUTH_MODE: 'none', TOKEN: 'none' },
      },
    ],
    ['a query of short words', { url: 'http://x/?transport=http&mode=read&profile=default&limit=4096' }],
    [
      'headers of the protocol, and the scheme of a credential',
      {
        url: 'http://x/',
        headers: {
          Accept: 'application/json',
          'content-type': 'application/json',
          'User-Agent': 'application/json',
          'MCP-Protocol-Version': 'application/json',
          authorization: 'Bearer abcdefgh',
          'x-auth': 'Bearer ijklmnop',
        },
      },
    ],
  ])('ordinary words are shown: %s', (_, config) => {
    expect(concealerOf(config).text(ORDINARY)).toBe(ORDINARY)
  })

  test.each([
    ...['API_KEY', 'OPENAI_APIKEY', 'KEY', 'apiKey', 'GH_TOKEN', 'API_KEY_2', 'AWS_ACCESS_KEY_ID', 'client-secret'],
    ...['PGPASSWORD', 'DB_PASSWD', 'PASSPHRASE', 'MYSQL_PWD', 'NPM_AUTH', 'AUTHORIZATION', 'GOOGLE_CREDENTIALS'],
    ...['COOKIE', 'SESSION', 'SESSION_ID', 'SIGNATURE', 'GITHUB_PAT'],
  ])('a variable %s is hidden', (name) => {
    expect(concealerOf({ command: 'x', env: { [name]: 'k7x2' } }).text('got k7x2')).toBe('got [hidden]')
    expect(concealerOf({ command: 'x', env: { [name]: 'abcdefgh' } }).text('got abcdefgh.')).toBe('got [hidden].')
  })

  test.each(['MONKEY', 'KEYBOARD', 'TOKENIZER', 'PWD', 'COMPASS', 'SECRETARY'])('a variable %s is shown', (name) => {
    expect(concealerOf({ command: 'x', env: { [name]: 'abcdefgh' } }).text('got abcdefgh')).toBe('got abcdefgh')
  })

  test('a password is hidden whatever it is like', () => {
    const { text } = concealerOf({ command: 'x', env: { DB_PASSWORD: 'tree', ADMIN_PASS: '4711' } })
    expect(text('tree, 4711!')).toBe('[hidden], [hidden]!')
    expect(concealerOf({ url: 'http://anna:tree@x/' }).text('anna, tree!')).toBe('[hidden], [hidden]!')
  })

  test.each([
    ['Bearer abcd', 'abcd is bad', '[hidden] is bad'],
    ['abcd', 'abcd is bad', '[hidden] is bad'],
    [`Basic ${btoa('anna:tree')}`, `${btoa('anna:tree')} is bad`, '[hidden] is bad'],
    [`Basic ${btoa('anna:tree')}`, 'anna:tree is bad', '[hidden] is bad'],
    [`basic ${btoa('anna:tree:house')}`, 'tree:house is bad for anna.', '[hidden] is bad for anna.'],
    ['Basic no-base-64!', 'no-base-64! is bad', '[hidden] is bad'],
    ['Digest user=anna, response=5d41402a', 'response=5d41402a is bad', '[hidden] is bad'],
  ])('of authorization: %s, the credential is hidden, as sent and as decoded', (authorization, words, shown) => {
    expect(concealerOf({ url: 'http://x/', headers: { authorization } }).text(words)).toBe(shown)
    expect(concealerOf({ url: 'http://x/', headers: { 'Proxy-Authorization': authorization } }).text(words)).toBe(shown)
  })

  test('of other headers and of a query, what is long or has digits is hidden', () => {
    const headers = { 'x-api-key': 'k7x2', 'x-auth': 'Bearer q8w9', cookie: 'id=abcdefgh; theme=dark' }
    const { text } = concealerOf({ url: 'http://x/?key=z5y6&id=0x1f2e&mode=read', headers })
    const words = 'k7x2, q8w9, id=abcdefgh, z5y6, 0x1f2e, read, theme=dark.'
    expect(text(words)).toBe('[hidden], [hidden], [hidden], [hidden], [hidden], read, [hidden].')
  })
})
