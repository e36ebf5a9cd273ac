import { copyFileSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createSeal } from '../../../../src/endpoint/seal/index.js'
import { createSqliteStore, type SqliteStore } from '../../../../src/endpoint/stores/sqlite/index.js'
import { answer } from '../../../../src/testing/index.js'
import { type Endpoint, endpoint } from '../../server/endpoint.js'
import { describeWithSqlite, type SqliteProgram, sqliteProgram } from './program.js'

/*
 * A database that `serve --replay` of commit 960f501a wrote (schema 1, behaviour 3), and what its clients were given: an
 * answer, its continuation, a call; and a background response in whose middle the process was killed.
 */
const place = (ending: string): string => fileURLToPath(new URL(`earlier/960f501a.${ending}`, import.meta.url))
const { finished, unfinished } = JSON.parse(readFileSync(place('json'), 'utf8')) as {
  readonly finished: readonly { readonly id: string; readonly output: readonly object[] }[]
  readonly unfinished: string
}

describeWithSqlite('a database of an earlier version', () => {
  let program: SqliteProgram
  let store: SqliteStore | undefined
  beforeAll(async () => {
    program = await sqliteProgram()
  })
  afterEach(() => store?.close())
  afterAll(() => program.remove())

  async function opened(): Promise<
    Endpoint & { readonly engine: { readonly calls: readonly { messages: unknown }[] } }
  > {
    const file = program.file()
    copyFileSync(place('db'), file)
    store = await createSqliteStore({ file, worker: program.worker })
    const seal = createSeal([{ id: 'k1', key: new Uint8Array(32).fill(97) }])
    return endpoint([answer('Rome.')], { store, seal })
  }

  test('gives its finished responses as they were', async () => {
    const { ask } = await opened()
    for (const response of finished) {
      const { status, body } = await ask('GET', `/responses/${response.id}`)
      expect([status, body]).toEqual([200, response])
    }
  })

  test('gives their items, with the input', async () => {
    const { ask } = await opened()
    const { body } = await ask('GET', `/responses/${finished[1]?.id}/input_items?order=asc`)
    const texts = body.data.map(({ content }: { content?: readonly { text?: string }[] }) => content?.[0]?.text)
    expect(texts).toContain('And of Spain?')
  })

  test('continues its conversations', async () => {
    const { create, engine } = await opened()
    const { status, body } = await create({ input: 'And of Italy?', previous_response_id: finished[1]?.id ?? '' })
    expect([status, body.output.at(-1).content[0].text]).toEqual([200, 'Rome.'])
    const read = JSON.stringify(engine.calls[0]?.messages)
    expect(read).toMatch(/capital of France.*Paris.*And of Spain.*And of Italy/)
  })

  test('has events that only its version can send, and says so', async () => {
    const { ask } = await opened()
    const { status, body } = await ask('GET', `/responses/${finished[0]?.id}?stream=true`)
    expect([status, body.error.code]).toEqual([409, 'stream_not_resumable'])
  })

  test('keeps what is known of a response that its process left unfinished, before its end and after it', async () => {
    const { ask } = await opened()
    const before = await ask('GET', `/responses/${unfinished}`)
    expect(before.body).toMatchObject({ status: 'in_progress', model: 'gpt-oss', background: true })
    expect(before.body.created_at).toBeGreaterThan(1_700_000_000)
    const { status } = await ask('POST', `/responses/${unfinished}/cancel`)
    expect(status).toBe(200)
    const after = await ask('GET', `/responses/${unfinished}`)
    expect(after.body).toEqual({ ...before.body, status: 'cancelled' })
  })

  test('can be deleted from, and written to', async () => {
    const { ask, create } = await opened()
    expect((await ask('DELETE', `/responses/${finished[0]?.id}`)).status).toBe(200)
    const { body } = await create({ input: 'Hi' })
    expect((await ask('GET', `/responses/${body.id}`)).body).toEqual(body)
  })
})
