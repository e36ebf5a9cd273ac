import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { AdminParts } from '../../../src/endpoint/server/index.js'
import { fakeIo } from '../io.js'
import { refusal, type Served, serve } from '../served.js'

const OPERATOR = 'the-key-of-the-operator'
const CLIENT = 'a-key-of-all-clients'
const ANN = 'a-key-of-ann-alone'
const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex')
const HASHES = `ann ${sha256(ANN)}\n`
const operator = { HARMONY_RESPONSES_OPERATOR_KEY: OPERATOR }
const clients = { HARMONY_RESPONSES_API_KEYS: HASHES }

/** The status and the code of GET for each key; undefined for no key. */
async function answers({ url }: Served, path: string, keys: readonly (string | undefined)[]): Promise<unknown[]> {
  const asked = keys.map(async (key) => {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const response = await fetch(url + path, { headers })
    const { error } = response.ok ? { error: undefined } : ((await response.json()) as { error: { code: string } })
    return error === undefined ? response.status : `${response.status} ${error.code}`
  })
  return Promise.all(asked)
}

const REFUSED = '401 invalid_api_key'
const FORBIDDEN = '403 operator_key_required'

describe('/metrics of serve', () => {
  const KEYS = [OPERATOR, CLIENT, ANN, 'a-guess-of-someone', undefined]

  test.each([
    ['no key', {}, [], [200, 200, 200, 200, 200]],
    ['one key of clients', { HARMONY_RESPONSES_API_KEY: CLIENT }, [], [REFUSED, 200, REFUSED, REFUSED, REFUSED]],
    ['keys of several owners', clients, [], [REFUSED, REFUSED, FORBIDDEN, REFUSED, REFUSED]],
    ['both', { ...clients, HARMONY_RESPONSES_API_KEY: CLIENT }, [], [REFUSED, FORBIDDEN, FORBIDDEN, REFUSED, REFUSED]],
    ["the operator's key", operator, [], [200, REFUSED, REFUSED, REFUSED, REFUSED]],
    ["the operator's key and --no-key", operator, ['--no-key'], [200, REFUSED, REFUSED, REFUSED, REFUSED]],
    [
      "the operator's key and those of clients",
      { ...operator, ...clients, HARMONY_RESPONSES_API_KEY: CLIENT },
      [],
      [200, FORBIDDEN, FORBIDDEN, REFUSED, REFUSED],
    ],
  ])('with %s opens to whom it should', async (_, env, args, expected) => {
    expect(await answers(await serve(['--replay', ...args], { env }), '/metrics', KEYS)).toEqual(expected)
  })

  test("the operator's key is none of a client", async () => {
    const served = await serve(['--replay'], { env: { ...operator, HARMONY_RESPONSES_API_KEY: CLIENT } })
    expect(await answers(served, '/v1/models', [OPERATOR, CLIENT])).toEqual([REFUSED, 200])
  })

  test('is said to be closed where clients have keys of their own and the operator has none', async () => {
    const said = 'no HARMONY_RESPONSES_OPERATOR_KEY: nobody can read /metrics\n'
    const outs = [clients, { ...clients, ...operator }, { HARMONY_RESPONSES_API_KEY: CLIENT }, operator].map(
      async (env) => (await serve(['--replay'], { env })).io.out.includes(said),
    )
    expect(await Promise.all(outs)).toEqual([true, false, false, false])
  })
})

describe("an operator's key that is wrong", () => {
  const own = (name: string): string => `${name}: expected a key of the operator alone, got one that clients have`
  const short = 'expected a key of at least 16 characters, got one of 7'
  test.each([
    ['too short', { HARMONY_RESPONSES_OPERATOR_KEY: 'hunter2' }, `HARMONY_RESPONSES_OPERATOR_KEY: ${short}`],
    [
      'too short in a file',
      { HARMONY_RESPONSES_OPERATOR_KEY_FILE: 'f' },
      `HARMONY_RESPONSES_OPERATOR_KEY_FILE: ${short}`,
    ],
    [
      'that of all clients',
      { HARMONY_RESPONSES_OPERATOR_KEY: CLIENT, HARMONY_RESPONSES_API_KEY: CLIENT },
      own('HARMONY_RESPONSES_OPERATOR_KEY'),
    ],
    [
      'that of an owner',
      { HARMONY_RESPONSES_OPERATOR_KEY: ANN, HARMONY_RESPONSES_API_KEYS: HASHES.toUpperCase() },
      own('HARMONY_RESPONSES_OPERATOR_KEY'),
    ],
  ])('is one line and exit code 2, without the key: %s', async (_, env, said) => {
    const { readFile } = fakeIo({ f: 'hunter2\n' })
    expect(await refusal(['--replay'], { env, readFile })).toEqual([2, said])
  })

  test('has no option on the command line, where the list of processes shows it', async () => {
    const [code, line] = await refusal(['--replay', '--operator-key', OPERATOR])
    expect([code, line]).toEqual([2, "Unknown option '--operator-key'"])
  })
})

describe('/admin of serve', () => {
  const KEYS = [OPERATOR, CLIENT, ANN, undefined]

  test.each([
    ['no key', {}, [], [FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN]],
    [
      'keys of clients',
      { ...clients, HARMONY_RESPONSES_API_KEY: CLIENT },
      [],
      [FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN],
    ],
    ["the operator's key", operator, [], [200, FORBIDDEN, FORBIDDEN, FORBIDDEN]],
    ["the operator's key and --no-key", operator, ['--no-key'], [200, FORBIDDEN, FORBIDDEN, FORBIDDEN]],
  ])('with %s opens for the operator alone', async (_, env, args, expected) => {
    const served = await serve(['--replay', ...args], { env })
    for (const path of ['/admin/now', '/admin/requests', '/admin/series', '/admin/parts']) {
      expect(await answers(served, path, KEYS)).toEqual(expected)
    }
  })

  test('the parts are the engine, the MCP servers by their labels, and the store', async () => {
    const mcp = `${process.execPath} ${fileURLToPath(new URL('../../endpoint/tools/mcp/fixture-server.mjs', import.meta.url))} stdio`
    const args = ['--replay', '--mcp', `docs=${mcp}`, '--mcp', 'away=node -e 0']
    const served = await serve(args, { env: operator })
    const headers = { authorization: `Bearer ${OPERATOR}` }
    const { data } = (await (await fetch(`${served.url}/admin/parts`, { headers })).json()) as AdminParts
    expect(data.map(({ type, name, health }) => [type, name, health])).toEqual([
      ['engine', 'gpt-oss', 'ok'],
      ['mcp', 'docs', 'ok'],
      ['mcp', 'away', 'failing'],
      ['store', 'memory', 'ok'],
    ])
  })
})
