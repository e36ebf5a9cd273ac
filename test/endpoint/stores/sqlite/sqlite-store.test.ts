import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/endpoint/stores/sqlite/driver.js'
import {
  createContentCipher,
  createSqliteStore,
  type SqliteStore,
  type SqliteStoreOptions,
} from '../../../../src/endpoint/stores/sqlite/index.js'
import { checkStore } from '../../../../src/testing/index.js'
import { sized } from '../../../support/runs.js'
import { block, end, entriesNow, entry, item, keep, open } from '../kept.js'
import { describeWithSqlite, type SqliteProgram, sqliteProgram } from './program.js'

describeWithSqlite('a store in SQLite', () => {
  let program: SqliteProgram
  const opened: SqliteStore[] = []
  beforeAll(async () => {
    program = await sqliteProgram()
  })
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()))
    program.remove()
  })

  async function sqlite(options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
    const store = await createSqliteStore({ file: program.file(), worker: program.worker, ...options })
    opened.push(store)
    return store
  }

  const has = async (store: SqliteStore, id: string): Promise<boolean> => (await store.find(id, 'ann')) !== undefined
  const key = new Uint8Array(32).fill(7)

  test.each([
    ['as it is', undefined],
    ['encrypted', createContentCipher([key])],
  ])(
    'a store in SQLite, its content %s, keeps every rule of a store, with another process on the file',
    async (_what, cipher) => {
      const create = async () => {
        const file = program.file()
        const both = { file, worker: program.worker, ...(cipher && { cipher }) }
        const [store, other] = [await createSqliteStore(both), await createSqliteStore(both)]
        return { store, other, close: async () => void (await Promise.all([store.close(), other.close()])) }
      }
      expect(await checkStore(create, { runs: sized(60, 8), patience: 20_000 })).toEqual([])
    },
  )

  test('a store in SQLite keeps its contents when its process ends, and a process that comes later continues', async () => {
    const file = program.file()
    const store = await sqlite({ file })
    await keep(store, { responseId: 'a' }, { output: [item('msg_a')], entries: [entry(1), entry(2)] })
    await open(store, { responseId: 'b', previous: 'a', entries: block(entry(3)), leaseSeconds: 0 })
    await store.close()
    const later = await sqlite({ file })
    expect(await later.expired(10)).toEqual([{ responseId: 'b', owner: 'ann' }])
    expect(await entriesNow(later, 'a', 'ann', 2)).toEqual([entry(1), entry(2)])
    const claimed = await later.claim({ responseId: 'b', owner: 'ann', leaseSeconds: 60 })
    expect(claimed).toMatchObject({ lease: { epoch: 2 }, count: 1 })
  })

  test('a store in SQLite is readable by its owner alone, with all of its files', async () => {
    const file = program.file()
    await keep(await sqlite({ file }), { responseId: 'a' })
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(file + suffix).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600])
  })

  test('a store in SQLite with a cipher has no content in its files, and opens it for another process with the key', async () => {
    const file = program.file()
    const store = await sqlite({ file, cipher: createContentCipher([key]) })
    const secret = 'the word is xyzzy'
    await keep(store, { responseId: 'a' }, { output: [item('msg_a', secret)] })
    const fail = { at: 1, type: 'fail', failure: { code: 'c', message: secret } } as const
    await open(store, { responseId: 'b', entries: block(fail) })
    for (const suffix of ['', '-wal']) expect(readFileSync(file + suffix).includes('xyzzy')).toBe(false)
    const other = await sqlite({ file, cipher: createContentCipher([new Uint8Array(32), key]) })
    expect(JSON.stringify(await other.findItem('msg_a', 'ann'))).toContain('xyzzy')
    const stranger = await sqlite({ file, cipher: createContentCipher([new Uint8Array(32)]) })
    await expect(stranger.findItem('msg_a', 'ann')).rejects.toThrow('does not open')
  })

  test('a store in SQLite forgets whole conversations that were not used for too long, and approvals with them', async () => {
    let now = 1000
    const store = await sqlite({ seconds: 100, clock: () => now })
    await keep(store, { responseId: 'a' }, { output: [item('mcpr_1')] })
    await keep(store, { responseId: 'b', previous: 'a' })
    await store.consumeApprovals(['mcpr_1'], 'ann')
    await keep(store, { responseId: 'x' })
    const running = await open(store, { responseId: 'r' })
    now = 1060
    expect(await has(store, 'b')).toBe(true)
    now = 1120
    await keep(store, { responseId: 'new' })
    expect(await Promise.all(['a', 'b', 'x', 'r'].map((id) => has(store, id)))).toEqual([true, true, false, true])
    expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(false)
    await end(store, running, 0)
    now = 1300
    await keep(store, { responseId: 'newer' })
    expect(await Promise.all(['a', 'b', 'r'].map((id) => has(store, id)))).toEqual([false, false, false])
    expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(true)
  })

  test('a store in SQLite forgets the least recently used conversations of an owner above the limit, and of no other', async () => {
    let now = 1000
    const store = await sqlite({ ownerBytes: 5000, seconds: 10_000, clock: () => now })
    const text = 'x'.repeat(2000)
    await keep(store, { responseId: 'bobs', owner: 'bob' }, { output: [item('msg_b', text)] })
    for (const id of ['a', 'b', 'c']) {
      now += 1000
      await keep(store, { responseId: id }, { output: [item(`msg_${id}`, text)] })
    }
    expect(await Promise.all(['a', 'b', 'c'].map((id) => has(store, id)))).toEqual([false, true, true])
    expect(await store.find('bobs', 'bob')).toBeDefined()
  })

  test('a store in SQLite whose disk is full refuses a step as a whole, and takes the next one when there is room', async () => {
    const file = program.file()
    const store = await sqlite({ file, fileBytes: 200_000 })
    const lease = await open(store, { responseId: 'a' })
    const large = { count: 1, bytes: new Uint8Array(400_000) }
    const other = await open(store, { responseId: 'b' })
    const appends = [
      { lease: other, at: 0, entries: block(entry(1)), leaseSeconds: 60 },
      { lease, at: 0, entries: large, leaseSeconds: 60 },
    ]
    await expect(store.append(appends)).rejects.toThrow(/full/)
    expect(await entriesNow(store, 'b', 'ann', 0)).toEqual([])
    const small = { lease, at: 0, entries: block(entry(1)), leaseSeconds: 60 }
    expect(await store.append([small])).toEqual([{ state: 'written' }])
  })

  test('a store in SQLite is copied while it is in use, and the copy has all of it', async () => {
    const store = await sqlite()
    const lease = await open(store, { responseId: 'a', entries: block(entry(1)) })
    const copy = program.file()
    await store.backup(copy)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    await end(store, lease, 1)
    const restored = await sqlite({ file: copy })
    expect(await restored.find('a', 'ann')).toEqual({ state: 'running' })
    expect(await entriesNow(restored, 'a', 'ann', 1)).toEqual([entry(1)])
  })

  test('a store in SQLite refuses a file of a newer version, and leaves it as it is', async () => {
    const file = program.file()
    await (await createSqliteStore({ file, worker: program.worker })).close()
    const database = await openDatabase(file)
    database.exec('PRAGMA user_version = 999')
    const refused = createSqliteStore({ file, worker: program.worker })
    await expect(refused).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('got version 999'),
    })
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 999 })
    database.close()
  })

  test('a store in SQLite refuses a file of another program, with one clear sentence', async () => {
    const file = program.file()
    writeFileSync(file, 'this is no database, and long enough to be sure of it'.repeat(100))
    await expect(createSqliteStore({ file, worker: program.worker })).rejects.toThrow(/not a database/)
    await expect(createSqliteStore({ file, worker: program.worker, seconds: 0 })).rejects.toThrow(/seconds/)
  })
})
