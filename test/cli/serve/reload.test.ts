import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { namedBlock } from '../../docs/pages.js'
import { type Served, serve, unreadyEngine } from '../served.js'

const [ANN, BOB, NEW] = ['a-key-of-ann-alone', 'a-key-of-bob-alone', 'a-key-that-is-new-0123']
const OPERATOR = 'the-key-of-the-operator'
const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex')
const hashes = (keys: Readonly<Record<string, string>>): string =>
  Object.entries(keys)
    .map(([owner, key]) => `${owner} ${sha256(key)}\n`)
    .join('')

/** Writes files of a folder that is removed after the test. Returns their paths by name. */
function folderOf(texts: Readonly<Record<string, string>>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  return (name) => join(folder, name)
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function statuses({ url }: Served, path: string, ...keys: readonly string[]): Promise<number[]> {
  return Promise.all(keys.map(async (key) => (await fetch(url + path, { headers: bearer(key) })).status))
}

const QUESTION = { model: 'gpt-oss', input: 'What is the capital of France?' }

/** Starts a stream with a key, and reads it up to its first event. Returns a function that reads the rest. */
async function startStream({ url }: Served, key: string): Promise<() => Promise<string>> {
  const body = JSON.stringify({ ...QUESTION, stream: true })
  const response = await fetch(`${url}/v1/responses`, { method: 'POST', headers: bearer(key), body })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = decoder.decode((await reader.read()).value)
  expect(text).toContain('response.created')
  return async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value)
    return text
  }
}

describe('SIGHUP', () => {
  test('reads key files again: a removed key opens nothing more, a new one does, and a running stream goes on', async () => {
    const path = folderOf({ keys: hashes({ ann: ANN, bob: BOB }), operator: OPERATOR })
    const env = { HARMONY_RESPONSES_OPERATOR_KEY_FILE: path('operator') }
    const served = await serve(['--replay', '--delay', '20', '--api-keys', path('keys')], { env })
    const rest = await startStream(served, ANN)

    writeFileSync(path('keys'), hashes({ bob: BOB, eve: NEW }))
    writeFileSync(path('operator'), `${OPERATOR}-2\n`)
    const line = await served.reload()
    expect(line).toBe('12:34:56  keys read again  --api-keys 2 keys  HARMONY_RESPONSES_OPERATOR_KEY_FILE 1 key\n')

    expect(await statuses(served, '/v1/models', ANN, BOB, NEW)).toEqual([401, 200, 200])
    expect(await statuses(served, '/metrics', OPERATOR, `${OPERATOR}-2`, NEW)).toEqual([401, 200, 403])
    expect(await rest()).toContain('event: response.completed\n')
    for (const key of [ANN, BOB, NEW, OPERATOR]) {
      expect(served.io.out + served.io.err).not.toContain(key)
      expect(served.io.out + served.io.err).not.toContain(sha256(key))
    }
  })

  test('changes nothing if a file is invalid, and says why in one line, without a key', async () => {
    const path = folderOf({ keys: hashes({ ann: ANN }), operator: OPERATOR })
    const env = { HARMONY_RESPONSES_OPERATOR_KEY_FILE: path('operator') }
    const served = await serve(['--replay', '--api-keys', path('keys')], { env })
    // The first is valid, so that its keys would change if the files were read one by one.
    for (const [text, reason] of [
      ['hunter2', 'expected a key of at least 16 characters, got one of 7'],
      [NEW, 'expected a key of the operator alone, got one that clients have'],
      ['', 'expected a file that is not empty'],
    ] as const) {
      writeFileSync(path('keys'), hashes({ eve: NEW }))
      writeFileSync(path('operator'), text)
      const said = `keys not read again  HARMONY_RESPONSES_OPERATOR_KEY_FILE: ${reason}  all stay as they were\n`
      expect(await served.reload()).toBe(`12:34:56  ${said}`)
      expect(await statuses(served, '/v1/models', ANN, NEW)).toEqual([200, 401])
      expect(await statuses(served, '/metrics', OPERATOR)).toEqual([200])
    }
    rmSync(path('keys'))
    expect(await served.reload()).toMatch(/keys not read again {2}cannot read .*keys: no such file or directory/)
    expect(await statuses(served, '/v1/models', ANN)).toEqual([200])
  })

  test('is reported as docs/serve.md shows', async () => {
    const path = folderOf({ keys: hashes({ ann: ANN, bob: BOB, eve: NEW }), operator: OPERATOR })
    const env = { HARMONY_RESPONSES_OPERATOR_KEY_FILE: path('operator') }
    const served = await serve(['--replay', '--api-keys', path('keys')], { env })
    const read = await served.reload()
    writeFileSync(path('keys'), hashes({ ann: ANN }) + hashes({ bob: ANN }))
    const refused = (await served.reload()).replace(path('keys'), 'keys.txt')
    expect(read + refused).toBe(namedBlock('docs/serve.md', 'keys').code.replace('12:35:10', '12:34:56'))
  })

  test('is a line of JSON with --log json', async () => {
    const path = folderOf({ key: ANN, seals: Buffer.alloc(32, 1).toString('base64') })
    const env = { HARMONY_RESPONSES_API_KEY_FILE: path('key') }
    const served = await serve(['--replay', '--log', 'json', '--seal-keys', path('seals')], { env })
    expect(JSON.parse(await served.reload())).toEqual({
      time: '2026-01-31T12:34:56Z',
      event: 'keys_read',
      files: [
        { name: 'HARMONY_RESPONSES_API_KEY_FILE', keys: 1 },
        { name: '--seal-keys', keys: 1 },
      ],
    })
    writeFileSync(path('key'), 'hunter2')
    expect(JSON.parse(await served.reload())).toEqual({
      time: '2026-01-31T12:34:56Z',
      event: 'keys_refused',
      reason: 'HARMONY_RESPONSES_API_KEY_FILE: expected a key of at least 16 characters, got one of 7',
    })
  })

  test('does not end a serve without key files, and says that there is nothing to read', async () => {
    const served = await serve(['--replay'], { env: { HARMONY_RESPONSES_API_KEY: ANN } })
    expect(await served.reload()).toBe('12:34:56  keys read again  none is in a file that can be read again\n')
    expect(await statuses(served, '/v1/models', ANN)).toEqual([200])
  })

  test('keeps keys that came by standard input, which cannot be read again', async () => {
    let reads = 0
    const readStdin = async (): Promise<string> => {
      reads += 1
      return reads === 1 ? hashes({ ann: ANN }) : ''
    }
    const path = folderOf({ operator: OPERATOR })
    const env = { HARMONY_RESPONSES_OPERATOR_KEY_FILE: path('operator') }
    const served = await serve(['--replay', '--api-keys', '-'], { readStdin, env })
    expect(await served.reload()).toMatch(/keys read again {2}HARMONY_RESPONSES_OPERATOR_KEY_FILE 1 key\n$/)
    expect(await statuses(served, '/v1/models', ANN)).toEqual([200])
  })

  test('seals with the new key, and opens what the old one sealed as long as the file has it', async () => {
    const [old, next] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
    const path = folderOf({ seals: `${old}\n` })
    const served = await serve(['--replay', '--seal-keys', path('seals')])
    const ask = async (input: unknown) => {
      const body = { model: 'gpt-oss', store: false, include: ['reasoning.encrypted_content'], input }
      const response = await fetch(`${served.url}/v1/responses`, { method: 'POST', body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as { output: object[] } }
    }
    const continued = (reasoning: unknown): unknown => [
      { role: 'user', content: 'Is 91 prime?' },
      reasoning,
      { role: 'user', content: 'And 97?' },
    ]
    const [first] = (await ask('Is 91 prime?')).body.output
    writeFileSync(path('seals'), `${next}\n${old}\n`)
    expect(await served.reload()).toContain('--seal-keys 2 keys')
    expect((await ask(continued(first))).status).toBe(200)
    const [second] = (await ask('Is 91 prime?')).body.output
    writeFileSync(path('seals'), `${next}\n`)
    await served.reload()
    expect([(await ask(continued(first))).status, (await ask(continued(second))).status]).toEqual([400, 200])
  })

  test('sends the engine its new key', async () => {
    const { url, sent } = await unreadyEngine()
    const path = folderOf({ engine: 'the-first-key' })
    const env = { HARMONY_ENGINE_API_KEY_FILE: path('engine') }
    const served = await serve(['--sglang', url], { env })
    await fetch(`${served.url}/readyz`)
    expect(sent).toEqual(new Set(['Bearer the-first-key']))
    writeFileSync(path('engine'), 'the-second-key')
    await served.reload()
    sent.clear()
    await fetch(`${served.url}/readyz`)
    expect(sent).toEqual(new Set(['Bearer the-second-key']))
  })

  test('ends the requests of a WebSocket whose key was removed, but not a response that is in progress', async () => {
    const path = folderOf({ keys: hashes({ ann: ANN }) })
    const served = await serve(['--replay', '--delay', '20', '--api-keys', path('keys')])
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/v1/responses`, { headers: bearer(ANN) })
    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    const events: { readonly type: string; readonly status?: number; readonly error?: { readonly code: string } }[] = []
    const seen = (type: string): Promise<void> =>
      new Promise((resolve) => {
        socket.on('message', (data) => {
          events.push(JSON.parse(String(data)))
          if (events.at(-1)?.type === type) resolve()
        })
      })
    const begun = seen('response.created')
    socket.send(JSON.stringify({ type: 'response.create', ...QUESTION }))
    await begun
    writeFileSync(path('keys'), hashes({ bob: BOB }))
    await served.reload()
    const refused = seen('error')
    socket.send(JSON.stringify({ type: 'response.create', ...QUESTION }))
    await refused
    expect(events.some(({ type }) => type === 'response.completed')).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: 'error', status: 401, error: { code: 'invalid_api_key' } })
  })
})
