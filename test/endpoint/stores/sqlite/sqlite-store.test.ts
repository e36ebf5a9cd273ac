import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../../src/endpoint/stores/sqlite/driver.js'
import {
  createContentCipher,
  createSqliteStore,
  type SqliteStore,
  type SqliteStoreOptions,
} from '../../../../src/endpoint/stores/sqlite/index.js'
import { databaseStoreLaws, miscountedRows } from '../database/database-store-laws.js'
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

  databaseStoreLaws('a store in SQLite', () => ({
    place: () => program.file(),
    emptied: () => program.file(),
    connect: (file, options) => createSqliteStore({ file, worker: program.worker, ...options }),
    async damage(file) {
      const database = await openDatabase(file)
      database.exec("UPDATE parts SET bytes = x'00'; UPDATE responses SET head = x'00' WHERE head IS NOT NULL")
      database.close()
    },
    async miscounted(file) {
      const database = await openDatabase(file)
      try {
        return await miscountedRows(async (text) =>
          database
            .prepare(text)
            .all()
            .map((row) => Object.values(row)[0]),
        )
      } finally {
        database.close()
      }
    },
  }))

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
    const store = await sqlite({ seconds: 100, clock: () => now, leaseClock: { id: 'a', seconds: () => now } })
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

  test.each([
    ['of a newer version', 'PRAGMA user_version = 999', 'a file of version \\d+ or older, got version 999'],
    ['of another program', 'PRAGMA application_id = 7', 'a file of this store, got a database of another program'],
    [
      'of another program, without a write-ahead log',
      'PRAGMA application_id = 7; PRAGMA journal_mode = DELETE',
      'a file of this store, got a database of another program',
    ],
  ])('a store in SQLite refuses a file %s, and leaves it as it is', async (_, change, expected) => {
    const file = program.file()
    await (await createSqliteStore({ file, worker: program.worker })).close()
    const database = await openDatabase(file)
    database.exec(change)
    database.close()
    const before = readFileSync(file)
    const refused = createSqliteStore({ file, worker: program.worker })
    const message = expect.stringMatching(`^createSqliteStore: expected ${expected}$`)
    await expect(refused).rejects.toMatchObject({ code: 'bad_option', message })
    expect(readFileSync(file).equals(before)).toBe(true)
    const beside = readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)))
    expect(beside).toEqual([basename(file)])
  })

  test('a store in SQLite refuses a file of another program, with one clear sentence', async () => {
    const file = program.file()
    writeFileSync(file, 'this is no database, and long enough to be sure of it'.repeat(100))
    await expect(createSqliteStore({ file, worker: program.worker })).rejects.toThrow(/not a database/)
    await expect(createSqliteStore({ file, worker: program.worker, seconds: 0 })).rejects.toThrow(/seconds/)
  })

  const DAY = 86_400

  test('a clock that is 40 days ahead for some requests makes a store in SQLite forget nothing', async () => {
    let [now, ahead] = [1e9, 0]
    const clock = () => now + ahead
    const store = await sqlite({ clock, leaseClock: { id: 'a', seconds: () => now } })
    const later = async (seconds: number, id: string): Promise<void> => {
      now += seconds
      await keep(store, { responseId: id })
    }
    await later(0, 'old')
    await later(100, 'a')
    ahead = 40 * DAY
    await later(100, 'b')
    await later(1, 'c')
    ahead = 0
    await later(100, 'd')
    await later(100, 'e')
    expect(await Promise.all(['old', 'a', 'b', 'c', 'd'].map((id) => has(store, id)))).toEqual(Array(5).fill(true))
  })

  test('a store in SQLite that begins with a clock that is ahead forgets nothing at its first look', async () => {
    let now = 1e9
    const file = program.file()
    await keep(await sqlite({ file, clock: () => now }), { responseId: 'a' })
    now += 40 * DAY
    const leaseClock = { id: 'a', seconds: () => now }
    const ahead = await sqlite({ file, clock: () => now, leaseClock })
    await keep(ahead, { responseId: 'b' })
    expect(await has(await sqlite({ file }), 'a')).toBe(true)
  })

  test('a store in SQLite forgets a few old conversations with each request, until all are forgotten', async () => {
    let now = 1e9
    const file = program.file()
    const store = await sqlite({ file, clock: () => now, leaseClock: { id: 'a', seconds: () => now } })
    for (let at = 0; at < 40; at++) await keep(store, { responseId: `old_${at}` })
    now += 40 * DAY
    const database = await openDatabase(file)
    const left: unknown[] = []
    for (const responseId of ['a', 'b', 'c']) {
      await keep(store, { responseId })
      left.push(database.prepare("SELECT count(*) AS count FROM responses WHERE id LIKE 'old%'").get()?.['count'])
    }
    database.close()
    expect(left).toEqual([24, 8, 0])
  })

  test('leases of a store in SQLite expire although the system clock is set back by an hour', async () => {
    const file = program.file()
    let [wall, steady] = [1e9, 500]
    const clocks = { clock: () => wall, leaseClock: { id: 'a', seconds: () => steady } }
    const [store, other] = [await sqlite({ file, ...clocks }), await sqlite({ file, ...clocks })]
    await open(store, { responseId: 'a', leaseSeconds: 10 })
    wall -= 3600
    steady += 9
    expect(await other.expired(10)).toEqual([])
    steady += 2
    expect(await other.expired(10)).toEqual([{ responseId: 'a', owner: 'ann' }])
    expect(await other.claim({ responseId: 'a', owner: 'ann', leaseSeconds: 10 })).toMatchObject({
      lease: { epoch: 2 },
    })
  })

  test('a lease of another clock expires when it was seen unrenewed for as long as it lasts', async () => {
    const file = program.file()
    let steady = 5
    const before = await sqlite({ file, leaseClock: { id: 'before', seconds: () => 1e6 + steady } })
    const store = await sqlite({ file, leaseClock: { id: 'after', seconds: () => steady } })
    const lease = await open(before, { responseId: 'a', leaseSeconds: 10 })
    const isExpired = async (): Promise<boolean> => (await store.expired(10)).length > 0
    const claim = () => store.claim({ responseId: 'a', owner: 'ann', leaseSeconds: 10 })
    expect([await isExpired(), await claim()]).toEqual([false, undefined])
    steady += 9
    await before.append([{ lease, at: 0, leaseSeconds: 10 }])
    steady += 2
    expect([await isExpired(), await claim()]).toEqual([false, undefined])
    steady += 10
    expect(await isExpired()).toBe(true)
    expect(await claim()).toMatchObject({ lease: { epoch: 2 } })
  })

  test('a lease that was given up before the machine was started again can be claimed at once', async () => {
    const file = program.file()
    const before = await sqlite({ file, leaseClock: { id: 'before', seconds: () => 1e6 } })
    await open(before, { responseId: 'a', leaseSeconds: 0 })
    const store = await sqlite({ file, leaseClock: { id: 'after', seconds: () => 5 } })
    expect(await store.expired(10)).toEqual([{ responseId: 'a', owner: 'ann' }])
  })

  test('a store in SQLite refuses everything while its file is deleted or another one, and goes on with its own', async () => {
    const file = program.file()
    const store = await sqlite({ file })
    const lease = await open(store, { responseId: 'a' })
    renameSync(file, `${file}.moved`)
    const append = () => store.append([{ lease, at: 0, entries: block(entry(1)), leaseSeconds: 60 }])
    await expect(append()).rejects.toThrow(`the database ${file} was deleted or moved while it was open`)
    await expect(store.find('a', 'ann')).rejects.toThrow('deleted or moved')
    writeFileSync(file, '')
    await expect(append()).rejects.toThrow('replaced by another file')
    rmSync(file)
    renameSync(`${file}.moved`, file)
    expect(await append()).toEqual([{ state: 'written' }])
  })

  test('a store in SQLite renews leases while it is copied', async () => {
    const store = await sqlite()
    const lease = await open(store, { responseId: 'a' })
    const large = { count: 1, bytes: new Uint8Array(20_000_000) }
    await store.append([{ lease, at: 0, entries: large, leaseSeconds: 60 }])
    const over: string[] = []
    const copy = store.backup(program.file()).then(() => over.push('copy'))
    await store.append([{ lease, at: 1, leaseSeconds: 60 }]).then(() => over.push('renewal'))
    await copy
    expect(over).toEqual(['renewal', 'copy'])
  })
})
