import { describe, expect, test } from 'vitest'
import { UsageError } from '../../../src/cli/io.js'
import { readMcpConfig } from '../../../src/cli/serve/mcp-config.js'
import { namedBlock } from '../../docs/pages.js'
import { fakeIo } from '../io.js'

const ENV = { TOKEN: 's3cret', EMPTY: '' }

/** The servers of a file, and the reports about it. */
async function read(text: string, file = 'mcp.json', env: Readonly<Record<string, string>> = ENV) {
  const files = { [file]: text, '/run/token': 'from-a-file\n', '/run/empty': '\n' }
  const io = Object.assign(fakeIo(files), { env })
  const servers = await readMcpConfig(file, io)
  return { servers: Object.fromEntries(servers.map(({ label, config }) => [label, config])), said: io.err }
}

/** A reference to a variable, as it stands in a file. */
const of = (name: string): string => `$\{${name}}`

test('the files of docs/serve.md are read, and nothing of them is left out', async () => {
  const env = { SEARCH_TOKEN: 's3cret' }
  const search = { url: 'https://search.example.com/mcp', headers: { authorization: 'Bearer s3cret' } }
  const args = ['-y', '@modelcontextprotocol/server-filesystem', '/srv/files']
  expect(await read(namedBlock('docs/serve.md', 'mcp.json').code, 'mcp.json', env)).toEqual({
    servers: { files: { command: 'npx', args }, search },
    said: '',
  })
  const { servers, said } = await read(namedBlock('docs/serve.md', 'config.toml').code, 'config.toml', env)
  expect(said).toBe('')
  expect(servers['search']).toMatchObject({ url: search.url, headers: { Authorization: 'Bearer s3cret' } })
})

const ofServer = (server: object): string => JSON.stringify({ mcpServers: { docs: server } })

describe("Claude Desktop's form", () => {
  test('programs and addresses become servers by their names', async () => {
    const text = JSON.stringify({
      mcpServers: {
        files: { command: 'npx', args: ['-y', 'files', '/srv'], env: { LOG: 'off' } },
        web: { type: 'http', url: 'https://mcp.example.com/mcp', headers: { 'X-Team': 'docs' } },
      },
    })
    expect(await read(text)).toEqual({
      servers: {
        files: { command: 'npx', args: ['-y', 'files', '/srv'], env: { LOG: 'off' } },
        web: { url: 'https://mcp.example.com/mcp', headers: { 'X-Team': 'docs' } },
      },
      said: '',
    })
  })

  test('variables of the environment stand for their values, or for a default', async () => {
    const headers = {
      authorization: `Bearer ${of('TOKEN')}`,
      a: `${of('env:TOKEN')}`,
      b: `${of('NONE:-off')}`,
      c: `${of('EMPTY:-off')}`,
      d: '$TOKEN',
    }
    const { servers } = await read(ofServer({ url: `https://${of('NONE:-a')}.example/${of('TOKEN')}`, headers }))
    expect(servers['docs']).toEqual({
      url: 'https://a.example/s3cret',
      headers: { authorization: 'Bearer s3cret', a: 's3cret', b: 'off', c: '', d: '$TOKEN' },
    })
    const local = await read(
      ofServer({ command: `${of('NONE:-node')}`, args: [`--key=${of('TOKEN')}`], env: { KEY: `${of('TOKEN')}` } }),
    )
    expect(local.servers['docs']).toEqual({ command: 'node', args: ['--key=s3cret'], env: { KEY: 's3cret' } })
  })

  test('a server that is switched off is left out, with its requirements', async () => {
    const text = JSON.stringify({
      mcpServers: { a: { url: `https://a/${of('NONE')}`, disabled: true }, b: { command: 'b', enabled: false } },
    })
    expect(await read(text)).toEqual({ servers: {}, said: '' })
  })

  test('ignored fields of a server are reported in a line, without their values', async () => {
    const { said } = await read(ofServer({ command: 'a', autoApprove: ['s3cret'], 'two\nlines': 1 }))
    expect(said.trimEnd().split('\n')).toEqual([
      'harmony-responses: --mcp-config mcp.json: "docs": "autoApprove" is not read',
      'harmony-responses: --mcp-config mcp.json: "docs": "two\\nlines" is not read',
    ])
  })
})

describe("Codex's form", () => {
  const TOML = `
model = "gpt-5.4"

[mcp_servers.files]
command = "npx"
args = ["-y", "files", "\${NONE}"]
env_vars = ["TOKEN"]
cwd = "/srv"
startup_timeout_sec = 2.5
tool_timeout_sec = 900
enabled_tools = ["read", "list"]
disabled_tools = ["list"]

[mcp_servers.files.env]
LOG = "off"

[mcp_servers.web]
url = "https://mcp.example.com/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { "X-Team" = "docs" }
env_http_headers = { "X-Key" = "TOKEN" }
`

  test('its servers are read, with headers from the environment, and what else the file has is left alone', async () => {
    expect(await read(TOML, 'config.toml')).toEqual({
      servers: {
        files: {
          command: 'npx',
          args: ['-y', 'files', `${of('NONE')}`],
          env: { TOKEN: 's3cret', LOG: 'off' },
          cwd: '/srv',
          listTimeoutMs: 2500,
          timeoutMs: 900_000,
          totalTimeoutMs: 900_000,
          allowedTools: ['read', 'list'],
          excludedTools: ['list'],
        },
        web: {
          url: 'https://mcp.example.com/mcp',
          headers: { 'X-Team': 'docs', 'X-Key': 's3cret', Authorization: 'Bearer s3cret' },
        },
      },
      said: '',
    })
  })
})

describe('a file that is wrong', () => {
  test.each<[string, string, string?]>([
    ['{', 'expected JSON'],
    ['[a\nb = "s3cret', 'expected TOML: Invalid TOML document: ', 'c.toml'],
    ['[]', 'expected object, received array'],
    ['{}', 'expected mcpServers, or mcp_servers as Codex has it, got neither'],
    ['{"mcpServers": {}, "mcp_servers": {}}', 'expected mcpServers, or mcp_servers as Codex has it, got both'],
    ['{"mcpServers": {"docs": "npx"}}', 'mcpServers.docs: expected object, received string'],
    [ofServer({}), '"docs": expected a command or a url, got neither'],
    [ofServer({ command: 'a', url: 'https://a' }), '"docs": expected a command or a url, got both'],
    [ofServer({ command: 's3cret', args: 's3cret' }), 'mcpServers.docs.args: expected array, received string'],
    [ofServer({ url: 'file:///s3cret' }), '"docs".url: expected an http or https URL'],
    [ofServer({ type: 'sse', url: 'https://a' }), 'mcpServers.docs.type: expected one of "stdio"|"http"'],
    [ofServer({ url: 'https://a', headers: { a: `${of('NONE')}` } }), '"docs".headers: the environment has no NONE'],
    [
      '[mcp_servers.a]\nurl = "https://a"\nbearer_token_env_var = "NONE"',
      '"a".bearer_token_env_var: the environment has no NONE',
      'c.toml',
    ],
  ])('an error is one line without a secret: %s', async (text, message, file = 'mcp.json') => {
    const error = await read(text, file).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UsageError)
    const said = String((error as Error).message)
    expect(said).toContain(`--mcp-config ${file}: ${message}`)
    expect(said).not.toContain('s3cret')
    expect(said).not.toContain('\n')
  })
})

describe('a variable whose value is in a file', () => {
  const FILE = { TOKEN_FILE: '/run/token' }
  const places = JSON.stringify({
    mcpServers: {
      web: { url: `https://web/?key=${of('TOKEN')}`, headers: { authorization: `Bearer ${of('TOKEN:-none')}` } },
      program: { command: 'npx', args: [of('TOKEN')], env: { KEY: of('TOKEN') } },
    },
  })
  const codex = [
    '[mcp_servers.bearer]',
    'url = "https://a"',
    'bearer_token_env_var = "TOKEN"',
    '[mcp_servers.header]',
    'url = "https://b"',
    'env_http_headers = { "X-Key" = "TOKEN" }',
    '[mcp_servers.program]',
    'command = "npx"',
    'env_vars = ["TOKEN"]',
  ].join('\n')

  test('stands for the text of the file, without its line end, in each place of both forms', async () => {
    expect((await read(places, 'mcp.json', FILE)).servers).toEqual({
      web: { url: 'https://web/?key=from-a-file', headers: { authorization: 'Bearer from-a-file' } },
      program: { command: 'npx', args: ['from-a-file'], env: { KEY: 'from-a-file' } },
    })
    expect((await read(codex, 'mcp.toml', FILE)).servers).toEqual({
      bearer: { url: 'https://a', headers: { Authorization: 'Bearer from-a-file' } },
      header: { url: 'https://b', headers: { 'X-Key': 'from-a-file' } },
      program: { command: 'npx', env: { TOKEN: 'from-a-file' } },
    })
  })

  test.each([
    [{ TOKEN: 's3cret', ...FILE }, 'TOKEN: expected it or TOKEN_FILE, got both'],
    [{ TOKEN_FILE: '/run/none' }, 'TOKEN_FILE: cannot read its file: no such file or directory'],
    [{ TOKEN_FILE: '/run/empty' }, 'TOKEN_FILE: expected a file that is not empty'],
  ])('is an error that names the place: %j', async (env, said) => {
    await expect(read(places, 'mcp.json', env)).rejects.toThrow(
      new UsageError(`--mcp-config mcp.json: "web".url: ${said}`),
    )
  })
})
