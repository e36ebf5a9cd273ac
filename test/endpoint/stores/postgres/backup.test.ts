import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresStore } from '../../../../src/endpoint/stores/postgres/index.js'
import { block, entriesNow, entry, item, keep, open } from '../kept.js'
import { describeWithPostgres, type PostgresCluster, startPostgres } from './cluster.js'

describeWithPostgres('a backup of a store in Postgres', () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster.remove())

  test('pg_dump of a store in use restores into another database, where running responses can be continued', async () => {
    const store = await createPostgresStore({ url: cluster.url })
    await keep(store, { responseId: 'a' }, { output: [item('msg_a')] })
    const lease = await open(store, { responseId: 'b', previous: 'a', entries: block(entry(1)) })
    const dump = join(cluster.folder, 'responses.dump')
    const run = (name: string, ...args: readonly string[]) => execFileSync(join(cluster.programs, name), args)
    run('pg_dump', '--schema', 'harmony_responses', '--format', 'custom', '--file', dump, cluster.url)
    await store.append([{ lease, at: 1, entries: block(entry(2)), leaseSeconds: 60 }])
    await store.close()
    const client = new Client({ connectionString: cluster.url })
    await client.connect()
    await client.query('CREATE DATABASE restored')
    await client.end()
    const url = cluster.url.replace(/postgres$/, 'restored')
    run('pg_restore', '--no-owner', '--dbname', url, dump)
    const restored = await createPostgresStore({ url })
    expect(await restored.find('a', 'ann')).toMatchObject({ finished: { response: { output: [{ id: 'msg_a' }] } } })
    expect(await entriesNow(restored, 'b', 'ann', 1)).toEqual([entry(1)])
    expect(await restored.claim({ responseId: 'b', owner: 'ann', leaseSeconds: 60, isForced: true })).toMatchObject({
      count: 1,
    })
    await keep(restored, { responseId: 'c', previous: 'a' })
    expect((await restored.lineage('c', 'ann'))?.responses).toHaveLength(2)
    await restored.close()
  })
})
