import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPostgresStore, type PostgresStore } from '../../../../src/endpoint/stores/postgres/index.js'
import { postgresObstacle, startPostgres } from '../../../support/postgres-cluster.mjs'
import { TOO_SHORT } from '../../../support/runs.js'
import { freePort } from '../../../support/server-program.mjs'
import { block, end, entry, open } from '../kept.js'
import type { PostgresCluster } from './cluster.js'

const PROGRAM = '/usr/sbin/pgbouncer'

function programObstacle(): string | undefined {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore' })
  } catch {
    return 'needs the program pgbouncer: Debian has it in the package pgbouncer'
  }
}

const obstacle = postgresObstacle() ?? TOO_SHORT ?? programObstacle()
if (obstacle === undefined) describe('a store in Postgres behind PgBouncer', suite)
else describe('a store in Postgres behind PgBouncer', () => test.skip(obstacle, () => {}))

function suite(): void {
  let cluster: PostgresCluster
  let url: string
  const poolers: ReturnType<typeof spawn>[] = []
  const opened: PostgresStore[] = []
  const store = async (schema: string, durability?: 'process' | 'power'): Promise<PostgresStore> => {
    const made = await createPostgresStore({ url, schema, ...(durability && { durability }) })
    opened.push(made)
    return made
  }

  /** @returns the address of the same database behind a pooler */
  async function startPooler(mode: 'session' | 'transaction'): Promise<string> {
    const port = await freePort()
    const [users, settings] = [join(cluster.folder, 'users.txt'), join(cluster.folder, `${mode}.ini`)]
    writeFileSync(users, `"postgres" "${cluster.password}"\n`)
    writeFileSync(
      settings,
      [
        ...['[databases]', `* = host=127.0.0.1 port=${cluster.port}`],
        ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
        ...[`pool_mode = ${mode}`, 'default_pool_size = 60', 'auth_type = scram-sha-256', `auth_file = ${users}`],
      ].join('\n'),
    )
    for (const path of [users, settings]) chmodSync(path, 0o644)
    const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
    poolers.push(spawn(PROGRAM, [...asUser, settings], { stdio: 'ignore' }))
    while (!(await answers(port))) await wait(20)
    return cluster.url.replace(`:${cluster.port}/`, `:${port}/`)
  }

  beforeAll(async () => {
    cluster = await startPostgres()
    url = await startPooler('session')
  })
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()))
    for (const pooler of poolers) {
      const left = once(pooler, 'exit')
      pooler.kill('SIGKILL')
      await left
    }
    await cluster.remove()
  })

  test.each([
    ['process', 'off'],
    ['power', 'on'],
  ] as const)('writes to its schema, with the durability %s', async (durability, commit) => {
    const schema = `of_${durability}`
    const kept = await store(schema, durability)
    const client = new Client({ connectionString: cluster.url })
    await client.connect()
    await client.query(`
      CREATE TABLE ${schema}.commits (setting text);
      CREATE FUNCTION ${schema}.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO ${schema}.commits VALUES (current_setting('synchronous_commit'));
        RETURN NULL;
      END $$;
      CREATE TRIGGER noted AFTER INSERT ON ${schema}.responses EXECUTE FUNCTION ${schema}.note()`)
    await open(kept, { responseId: 'a' })
    const { rows } = await client.query(`SELECT setting FROM ${schema}.commits`)
    const { rows: others } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    await client.end()
    expect(rows).toEqual([{ setting: commit }])
    expect(others).toEqual([])
  })

  test('is refused in transaction mode, in which connections change the settings of each other', async () => {
    const shared = await startPooler('transaction')
    await expect(createPostgresStore({ url: shared, schema: 'shared' })).rejects.toThrow(
      /^the database 127\.0\.0\.1:\d+\/postgres: a pooler shares sessions between connections: let it pool sessions/,
    )
  })

  test('wakes those that read in another process', async () => {
    const [writer, reader] = [await store('followed'), await store('followed')]
    const lease = await open(writer, { responseId: 'a' })
    const entries = (await reader.entries('a', 'ann', 0))?.[Symbol.asyncIterator]()
    const first = entries?.next()
    await writer.append([{ lease, at: 0, entries: block(entry(0)), leaseSeconds: 60 }])
    expect((await first)?.done).toBe(false)
    await end(writer, lease, 1)
    while (!(await entries?.next())?.done);
  })
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
