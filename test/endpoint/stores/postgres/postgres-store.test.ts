import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createContentCipher,
  createPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from '../../../../src/endpoint/stores/postgres/index.js'
import { databaseStoreLaws, miscountedRows } from '../database/database-store-laws.js'
import { serverStoreLaws } from '../database/server-store-laws.js'
import { block, end, entry, item, keep, open } from '../kept.js'
import { describeWithPostgres, type PostgresCluster, startPostgres } from './cluster.js'

const LISTENING = `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()
  AND (query LIKE 'LISTEN%' OR query LIKE 'SELECT id, count, is_running%')`

describeWithPostgres('a store in Postgres', () => {
  let cluster: PostgresCluster
  const opened: PostgresStore[] = []
  let schemas = 0
  const newSchema = (): string => `store_${++schemas}`
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()))
    await cluster.remove()
  })

  async function connect(options: Partial<PostgresStoreOptions> = {}): Promise<PostgresStore> {
    const store = await createPostgresStore({ url: cluster.url, schema: newSchema(), ...options })
    opened.push(store)
    return store
  }

  async function sql(text: string, schema = 'public'): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: cluster.url, options: `-c search_path=${schema}` })
    await client.connect()
    try {
      const results = await client.query(text)
      return [results].flat().at(-1)?.rows ?? []
    } finally {
      await client.end()
    }
  }

  const miscounted = (schema: string) =>
    miscountedRows(async (text) => (await sql(text, schema)).map((row) => Object.values(row)[0]))
  const has = async (store: PostgresStore, id: string): Promise<boolean> => (await store.find(id, 'ann')) !== undefined

  databaseStoreLaws('a store in Postgres', () => ({
    place: newSchema,
    // Making the tables takes longer than most checks.
    emptied: async (schema) => {
      await sql(
        'TRUNCATE responses, conversations, named_conversations, owners, parts, entries, approvals RESTART IDENTITY',
        schema,
      )
      return schema
    },
    // Few: each prepares its statements anew.
    connect: (schema, options) => createPostgresStore({ url: cluster.url, schema, connections: 4, ...options }),
    damage: async (schema) => {
      await sql("UPDATE parts SET bytes = '\\x00'; UPDATE responses SET head = '\\x00' WHERE head IS NOT NULL", schema)
    },
    miscounted,
  }))

  serverStoreLaws('a store in Postgres', () => ({
    ...{ place: newSchema, miscounted },
    connect: (schema, options) => connect({ schema, ...options }),
    listening: async () => (await sql(LISTENING)).length,
    endListening: () => sql(`SELECT pg_terminate_backend(pid) FROM (${LISTENING}) AS listening`),
  }))

  test('a store in Postgres with a cipher has no content in its tables', async () => {
    const schema = newSchema()
    const store = await connect({ schema, cipher: createContentCipher([new Uint8Array(32).fill(7)]) })
    const secret = 'the word is xyzzy'
    await keep(store, { responseId: 'a' }, { input: [item('m', secret)], output: [item('msg_a', secret)] })
    const fail = { at: 1, type: 'fail', failure: { code: 'c', message: secret } } as const
    await open(store, { responseId: 'b', entries: block(fail) })
    const rows = await sql(
      `SELECT bytes FROM parts UNION ALL SELECT bytes FROM entries UNION ALL SELECT head FROM responses`,
      schema,
    )
    expect(rows.length).toBeGreaterThan(3)
    for (const { bytes } of rows) expect(Buffer.from((bytes ?? '') as Buffer).includes('xyzzy')).toBe(false)
  })

  test('a store in Postgres forgets whole conversations that were not used for too long, and approvals with them', async () => {
    const schema = newSchema()
    const store = await connect({ schema, seconds: 1 })
    await keep(store, { responseId: 'a' }, { output: [item('mcpr_1')] })
    await keep(store, { responseId: 'b', previous: 'a' })
    await open(store, { responseId: 'running' })
    await store.consumeApprovals(['mcpr_1'], 'ann')
    await sql(
      "UPDATE conversations SET used = now() - interval '1 hour'; UPDATE approvals SET used = now() - interval '1 hour'",
      schema,
    )
    // It believes the clock when two looks agree.
    await expect
      .poll(async () => {
        await keep(store, { responseId: `new_${Math.random()}` })
        return await sql("SELECT id FROM responses WHERE id IN ('a', 'b', 'running')", schema)
      })
      .toEqual([{ id: 'running' }])
    expect(await store.consumeApprovals(['mcpr_1'], 'ann')).toBe(true)
    expect(await sql("SELECT count(*)::int AS count FROM parts WHERE item_id = 'mcpr_1'", schema)).toEqual([
      { count: 0 },
    ])
  })

  test('a store in Postgres counts the bytes of each owner and each conversation, also after deletions', async () => {
    const schema = newSchema()
    const store = await connect({ schema })
    await keep(store, { responseId: 'a' }, { output: [item('msg_a')], entries: [entry(1), entry(2)] })
    await keep(store, { responseId: 'b', previous: 'a' }, { output: [item('msg_b')], entries: [entry(3)] })
    await keep(store, { responseId: 'c', previous: 'a' }, { output: [item('msg_c')] })
    await keep(store, { responseId: 'd' }, { output: [item('msg_d')] })
    await open(store, { responseId: 'running', previous: 'c', entries: block(entry(1)) })
    await store.delete('running', 'ann')
    await store.delete('a', 'ann')
    await store.delete('b', 'ann')
    const bytes = `
      SELECT (SELECT sum(bytes) FROM owners) AS owners, (SELECT sum(bytes) FROM conversations) AS conversations,
        (SELECT sum(length(bytes)) FROM parts) + (SELECT coalesce(sum(length(bytes)), 0) FROM entries) +
          (SELECT sum(length(head)) FROM responses) AS stored, (SELECT count(*) FROM responses) AS responses`
    const [counted] = await sql(bytes, schema)
    expect(counted?.['responses']).toBe('3')
    expect([counted?.['owners'], counted?.['conversations']]).toEqual([counted?.['stored'], counted?.['stored']])
    for (const id of ['c', 'd']) await store.delete(id, 'ann')
    const tables = ['responses', 'conversations', 'owners', 'parts', 'entries']
    const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`).join(', ')
    expect(await sql(`SELECT ${counts}`, schema)).toEqual([Object.fromEntries(tables.map((table) => [table, 0]))])
  })

  test('names that are too long for an index of Postgres are found, and owners that are are refused', async () => {
    const store = await connect()
    const long = 'x'.repeat(100_000)
    const key = { key: long, digest: 'd' }
    await keep(store, { responseId: 'a', key }, { output: [item(long), item(`${long}y`)] })
    expect(await store.findItem(long, 'ann')).toMatchObject({ responseId: 'a', item: { id: long } })
    expect(await store.findItem(`${long}z`, 'ann')).toBeUndefined()
    expect(await store.findKey(long, 'ann')).toEqual({ ...key, responseId: 'a' })
    expect(await store.find(long, 'ann')).toBeUndefined()
    expect(await store.lineage(long, 'ann')).toBeUndefined()
    expect(await store.delete(long, 'ann')).toBe(false)
    await expect(store.find('a', long)).rejects.toThrow('of at most 1200 bytes, got one of 100000')
  })

  test('appends of two processes to the same responses, in any order, wait for each other, and never fail', async () => {
    const schema = newSchema()
    const stores = [await connect({ schema }), await connect({ schema })]
    const ids = Array.from({ length: 40 }, (_, at) => `r${at}`)
    const leases = await Promise.all(ids.map((responseId) => open(stores[0] as PostgresStore, { responseId })))
    const renewals = Array.from({ length: 60 }, (_, round) => {
      const some = leases.map((lease) => ({ lease, at: 0, leaseSeconds: 60 }))
      if (round % 2 === 1) some.reverse()
      return (stores[round % 2] as PostgresStore).append(some)
    })
    const states = (await Promise.all(renewals)).flat().map(({ state }) => state)
    expect(new Set(states)).toEqual(new Set(['written']))
  })

  test('two processes that end and delete responses of one conversation wait for each other, and never fail', async () => {
    const schema = newSchema()
    const [one, other] = [await connect({ schema }), await connect({ schema })]
    await keep(one, { responseId: 'root' })
    const branch = async (store: PostgresStore, name: string): Promise<void> => {
      for (let at = 0; at < 10; at++) {
        const lease = await open(store, { responseId: `${name}_${at}`, previous: 'root' })
        await end(store, lease, 0, { output: [item(`msg_${name}_${at}`)] })
        await store.delete(`${name}_${at}`, 'ann')
      }
    }
    await Promise.all([branch(one, 'a'), branch(other, 'b'), branch(one, 'c'), branch(other, 'd')])
    expect(await sql('SELECT running, children FROM conversations JOIN responses USING (cid)', schema)).toEqual([
      { running: 0, children: 0 },
    ])
  })

  test('processes that open a new schema at the same time make its tables once', async () => {
    const schema = newSchema()
    const stores = await Promise.all(Array.from({ length: 6 }, () => connect({ schema })))
    expect(await sql('SELECT version FROM store_version', schema)).toHaveLength(1)
    await keep(stores[0] as PostgresStore, { responseId: 'a' })
    expect(await has(stores[5] as PostgresStore, 'a')).toBe(true)
  })

  test.each([
    ['process', 'off'],
    ['power', 'on'],
  ] as const)('with durability %s each connection has synchronous_commit %s', async (durability, expected) => {
    const schema = newSchema()
    const store = await connect({ schema, durability })
    await sql(
      `CREATE TABLE seen (setting text);
       CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
       CREATE TRIGGER note BEFORE INSERT OR UPDATE ON responses FOR EACH ROW EXECUTE FUNCTION note()`,
      schema,
    )
    await keep(store, { responseId: 'a' })
    expect(store.durability).toBe(durability)
    const settings = await sql('SELECT DISTINCT setting FROM seen', schema)
    expect(settings).toEqual([{ setting: expected }])
  })

  test('a store in Postgres reads, and makes nothing, as a user that may not create tables', async () => {
    const schema = newSchema()
    await keep(await connect({ schema }), { responseId: 'a' })
    await sql(
      `CREATE ROLE least LOGIN PASSWORD 'least'; GRANT USAGE ON SCHEMA ${schema} TO least;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO least;
       GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO least`,
    )
    const url = cluster.url.replace(`postgres:${cluster.password}@`, 'least:least@')
    const store = await connect({ url, schema })
    await keep(store, { responseId: 'b', previous: 'a' }, { output: [item('msg_b')] })
    expect(await has(store, 'b')).toBe(true)
    const refused = createPostgresStore({ url, schema: newSchema() })
    await expect(refused).rejects.toThrow(
      `the database 127.0.0.1:${cluster.port}/postgres: permission denied for database`,
    )
  })

  test('a store in Postgres refuses tables of a newer version, and leaves them as they are', async () => {
    const schema = newSchema()
    await connect({ schema })
    await sql('UPDATE store_version SET version = 999', schema)
    await expect(createPostgresStore({ url: cluster.url, schema })).rejects.toMatchObject({
      code: 'bad_option',
      message: 'createPostgresStore: expected a schema of version 2 or older, got version 999',
    })
    expect(await sql('SELECT version FROM store_version', schema)).toEqual([{ version: 999 }])
  })
})
