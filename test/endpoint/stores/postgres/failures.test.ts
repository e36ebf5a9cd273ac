import { chownSync, copyFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresStore, type PostgresStore } from '../../../../src/endpoint/stores/postgres/index.js'
import { selfSigned } from '../../../support/certificate.js'
import { failingServerLaws } from '../database/failing-server-laws.js'
import { keep } from '../kept.js'
import { describeWithPostgres, type PostgresCluster, startPostgres } from './cluster.js'

describeWithPostgres('a store in Postgres whose server fails', suite)

function suite(): void {
  let cluster: PostgresCluster
  let schemas = 0
  const opened: PostgresStore[] = []
  beforeAll(async () => {
    cluster = await startPostgres({ settings: { fsync: 'on' } })
  })
  afterAll(async () => {
    cluster.wake()
    await Promise.all(opened.map((store) => store.close()))
    await cluster.remove()
  })

  async function connect(schema: string, url: string = cluster.url): Promise<PostgresStore> {
    const store = await createPostgresStore({ url, schema, timeoutSeconds: 1, durability: 'power' })
    opened.push(store)
    return store
  }

  failingServerLaws('a store in Postgres', () => ({
    server: cluster,
    place: () => `failed_${++schemas}`,
    connect,
    shown: /^the database 127\.0\.0\.1:\d+\/postgres: /,
    secret: /swordfish|127\.0\.0\.1|postgres/i,
  }))

  test('a store in Postgres speaks TLS, and refuses a certificate that nobody it trusts has signed', async () => {
    const data = join(cluster.folder, 'data')
    const { key, certificate } = selfSigned(data)
    const { uid, gid } = statSync(data)
    for (const file of [key, certificate]) chownSync(file, uid, gid)
    writeFileSync(join(data, 'postgresql.auto.conf'), 'ssl = on\n')
    const trusted = join(cluster.folder, 'trusted.crt')
    copyFileSync(certificate, trusted)
    await cluster.stop()
    await cluster.start()
    const schema = `failed_${++schemas}`
    const secure = await connect(schema, `${cluster.url}?sslmode=verify-full&sslrootcert=${trusted}`)
    await keep(secure, { responseId: 'a' })
    expect(await (await connect(schema, `${cluster.url}?sslmode=require`)).find('a', 'ann')).toBeDefined()
    await expect(connect(schema, `${cluster.url}?sslmode=verify-full`)).rejects.toThrow('self-signed certificate')
    const byName = cluster.url.replace('127.0.0.1', 'localhost')
    await expect(connect(schema, `${byName}?sslmode=verify-full&sslrootcert=${trusted}`)).rejects.toThrow(
      "does not match certificate's altnames",
    )
    await keep(await connect(schema, `${byName}?sslmode=verify-ca&sslrootcert=${trusted}`), { responseId: 'b' })
  })
}
