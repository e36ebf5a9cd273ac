import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { KEY_VARIABLES } from '../../../src/cli/serve/secrets.js'
import { refusal, serve, unreadyEngine } from '../served.js'

const KEY = 'a-key-of-24-characters-1'
const SEAL = Buffer.alloc(32, 7).toString('base64')
const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex')

/** A path in a folder that is removed after the test; with a text, that of a file with it. */
function fileWith(text?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'secret')
  if (text !== undefined) writeFileSync(file, text)
  return file
}

const statusOf = async (url: string, path: string, key: string): Promise<number> =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).status

/** A valid text for each variable. */
const TEXTS: Record<keyof typeof KEY_VARIABLES, string> = {
  client: KEY,
  clients: `ann ${sha256(KEY)}`,
  operator: 'the-key-of-the-operator',
  seal: SEAL,
  engine: 'the-key-of-the-engine',
}
const ROWS = Object.entries(KEY_VARIABLES).map(([name, variable]) => ({
  variable,
  text: TEXTS[name as keyof typeof TEXTS],
  // Only an engine behind HTTP is sent a key.
  args: name === 'engine' ? ['--vllm', 'http://127.0.0.1:9'] : ['--replay'],
}))

describe.each(ROWS)('$variable', ({ variable, text, args }) => {
  test('comes from the environment, or from the file of its _FILE, without the line end of an editor', async () => {
    for (const env of [{ [variable]: text }, { [`${variable}_FILE`]: fileWith(`\ufeff${text}\r\n`) }]) {
      const { stop, exit } = await serve(args, { env })
      stop()
      expect(await exit).toBe(0)
    }
  })

  test('is one line and exit code 2 if it and its _FILE are set', async () => {
    const env = { [variable]: text, [`${variable}_FILE`]: fileWith(text) }
    expect(await refusal(args, { env })).toEqual([2, `${variable}: expected it or ${variable}_FILE, got both`])
  })

  test.each([
    ['missing', () => fileWith(), 'cannot read its file: no such file or directory'],
    ['a folder', () => join(fileWith(''), '..'), 'cannot read its file: illegal operation on a directory'],
    ['empty', () => fileWith('\n'), 'expected a file that is not empty'],
    ['not named', () => '', 'expected a file, got an empty text'],
  ])('is one line and exit code 2 if its file is %s', async (_, file, said) => {
    expect(await refusal(args, { env: { [`${variable}_FILE`]: file() } })).toEqual([2, `${variable}_FILE: ${said}`])
  })

  test('is not printed if it is given in place of its file', async () => {
    const [code, line] = await refusal(args, { env: { [`${variable}_FILE`]: text } })
    expect(code).toBe(2)
    for (const word of text.split(' ').slice(-1)) expect(line).not.toContain(word)
  })
})

test('a key of clients in a file lets them in', async () => {
  const { url, io } = await serve(['--replay'], { env: { HARMONY_RESPONSES_API_KEY_FILE: fileWith(`${KEY}\n`) } })
  expect(await statusOf(url, '/v1/models', KEY)).toBe(200)
  expect(await statusOf(url, '/v1/models', 'another')).toBe(401)
  expect(io.out).toContain('asks for the key')
})

test('hashes in the environment let their owners in', async () => {
  const { url } = await serve(['--replay'], { env: { HARMONY_RESPONSES_API_KEYS: TEXTS.clients } })
  expect(await statusOf(url, '/v1/models', KEY)).toBe(200)
})

test('an option takes precedence over the environment', async () => {
  const env = { HARMONY_RESPONSES_API_KEY: 'another-key-0123456789', HARMONY_RESPONSES_API_KEYS_FILE: '/no/such/file' }
  const hashes = fileWith(TEXTS.clients)
  const { url } = await serve(['--replay', '--api-key', 'typed-key-0123456789', '--api-keys', hashes], { env })
  expect(await statusOf(url, '/v1/models', 'typed-key-0123456789')).toBe(200)
  expect(await statusOf(url, '/v1/models', KEY)).toBe(200)
  expect(await statusOf(url, '/v1/models', 'another-key-0123456789')).toBe(401)
})

test('a key of the engine in a file is sent to the engine, and is not read for engines that take none', async () => {
  const engine = await unreadyEngine()
  const env = { HARMONY_ENGINE_API_KEY_FILE: fileWith('the-key-of-the-engine\n') }
  const { url } = await serve(['--vllm', engine.url], { env })
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  expect(engine.sent).toEqual(new Set(['Bearer the-key-of-the-engine']))
  await serve(['--replay'], { env: { HARMONY_ENGINE_API_KEY_FILE: '/no/such/file' } })
})

test('an engine key that no header can carry is one line, which names its variable and does not show it', async () => {
  const env = { HARMONY_ENGINE_API_KEY_FILE: fileWith('first-line\nsecond-line\n') }
  const said = 'HARMONY_ENGINE_API_KEY_FILE: expected one line of characters up to U+00FF, got one with a line break'
  expect(await refusal(['--vllm', 'http://127.0.0.1:9'], { env })).toEqual([2, said])
})
