import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Checkout, createCheckout } from '../../../docs/checkout.js'
import { root } from '../../../docs/pages.js'
import { continuesElsewhere, eventsIn, killAll, type Served, serve } from './served.js'

/** The tree before `serve --workers`. */
const EARLIER = 'e4c77c33765d332b920043418836717a0c51a0ae'

/** Why there is no earlier version to upgrade from; undefined if there is one. */
export function earlierObstacle(): string | undefined {
  try {
    execFileSync('git', ['cat-file', '-e', `${EARLIER}^{commit}`], { cwd: root, stdio: 'ignore' })
    return undefined
  } catch {
    return `needs the history of the checkout, up to ${EARLIER.slice(0, 8)}`
  }
}

/** Writes a tree into a folder, builds it, and removes the folder. */
async function builtOf(write: (folder: string) => void): Promise<Checkout> {
  const folder = mkdtempSync(join(tmpdir(), 'tree-'))
  try {
    write(folder)
    return await createCheckout(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function writeEarlier(folder: string): void {
  const archive = execFileSync('git', ['archive', EARLIER, 'package.json', 'examples', 'scripts', 'src'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  // Made from the vocabulary, and in no commit.
  const generated = 'src/core/tokens/generated'
  cpSync(join(root, generated), join(folder, generated), { recursive: true })
}

/** This tree as one whose entries have another meaning. */
function writeLater(folder: string): void {
  for (const name of ['package.json', 'examples', 'scripts', 'src']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  const file = join(folder, 'src/endpoint/journal/entry.ts')
  const text = readFileSync(file, 'utf8')
  const raised = text.replace(/(BEHAVIOR_VERSION = )(\d+)/, (_, begin, number) => `${begin}${Number(number) + 1}`)
  expect(raised).not.toBe(text)
  writeFileSync(file, raised)
}

/** Where a suite of two versions runs. */
export interface UpgradePlace {
  readonly store: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** What two versions on one store keep. */
export function upgradeSuite(place: () => UpgradePlace): void {
  let [earlier, later, now]: (Checkout | undefined)[] = []
  beforeAll(async () => {
    ;[earlier, later, now] = await Promise.all([builtOf(writeEarlier), builtOf(writeLater), createCheckout()])
  })
  afterEach(killAll)
  afterAll(() => {
    for (const checkout of [earlier, later, now]) checkout?.remove()
  })
  const folderOf = (version: string): string =>
    ({ earlier, later, now })[version]?.folder ?? expect.unreachable(version)

  test.each([
    ['earlier', 'now', 'SIGKILL'],
    ['earlier', 'now', 'SIGTERM'],
    ['now', 'earlier', 'SIGKILL'],
    ['now', 'earlier', 'SIGTERM'],
  ] as const)(
    'a response that the version %s began goes on in the version %s after %s, and its client misses no event',
    async (first, second, signal) => {
      const { store, env } = place()
      await continuesElsewhere(folderOf(first), store, signal, env, folderOf(second))
    },
  )

  const post = async ({ url }: Served, path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), headers })
    const answered = (await response.json()) as Record<string, unknown>
    expect(response.status, JSON.stringify(answered)).toBe(200)
    return answered
  }
  const get = async ({ url }: Served, path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${url}${path}`)).json()) as Record<string, unknown>

  test('two versions that run at the same time answer for the responses and conversations of each other', async () => {
    const { store, env } = place()
    const script = join(folderOf('now'), 'script.json')
    writeFileSync(script, JSON.stringify([{ answer: 'Paris.' }]))
    const versions = await Promise.all(
      ['earlier', 'now'].map((version) => serve(folderOf(version), ['--script', script, ...store], env)),
    )
    for (const [one, other] of [versions, versions.toReversed()] as [Served, Served][]) {
      const asked = { model: 'gpt-oss', input: 'What is the capital of France?', metadata: { from: one.url } }
      const first = await post(one, '/v1/responses', asked)
      expect(await get(other, `/v1/responses/${first['id']}`)).toEqual(first)
      expect((await post(other, '/v1/responses', asked))['id']).toBe(first['id'])
      await post(other, '/v1/responses', { ...asked, previous_response_id: first['id'] })
      const items = [{ type: 'message', role: 'user', content: 'Hi.' }]
      const { id } = await post(one, '/v1/conversations', { items, metadata: { from: one.url } })
      await post(other, '/v1/responses', { ...asked, conversation: id })
      expect((await get(one, `/v1/conversations/${id}/items`))['data']).toHaveLength(3)
    }
    for (const each of versions) await each.kill('SIGTERM')
  })

  test('a response that only a later version can read waits for it, while others of this version go on', async () => {
    const { store, env } = place()
    const script = join(folderOf('now'), 'script.json')
    writeFileSync(script, JSON.stringify([[{ think: 'Hm.' }, { answer: 'one two three four five six' }]]))
    const options = [...store, '--script', script, '--limit', 'leaseSeconds=1']
    const begun = await serve(folderOf('later'), [...options, '--delay', '200'], env)
    const { id } = await post(begun, '/v1/responses', { input: 'Count.', background: true })
    await begun.kill('SIGKILL')
    const present = await serve(folderOf('now'), options, env)
    // It has looked for responses without a process, and completed one of its own, when that one's lease has expired.
    const own = await serve(folderOf('now'), [...options, '--delay', '200'], env)
    const { id: other } = await post(own, '/v1/responses', { input: 'Count again.', background: true })
    await own.kill('SIGKILL')
    await expect
      .poll(async () => (await get(present, `/v1/responses/${other}`))['status'], { timeout: 30_000 })
      .toBe('completed')
    expect((await get(present, `/v1/responses/${id}`))['status']).toBe('in_progress')
    const back = await serve(folderOf('later'), options, env)
    const events = eventsIn(await (await fetch(`${back.url}/v1/responses/${id}?stream=true`)).text())
    expect(events.at(-1)?.type).toBe('response.completed')
    expect((await get(present, `/v1/responses/${id}`))['status']).toBe('completed')
    for (const each of [present, back]) await each.kill('SIGTERM')
  })
}
