import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Checkout, createCheckout } from '../../../docs/checkout.js'
import { continuesElsewhere, killAll, refused, serve } from '../database/served.js'
import { describeWithPostgres, type PostgresCluster, startPostgres } from './cluster.js'

describeWithPostgres('serve --store postgres://', suite, { isLong: true })

function suite(): void {
  let checkout: Checkout
  let cluster: PostgresCluster
  beforeAll(async () => {
    const [made, started] = await Promise.all([createCheckout(), startPostgres()])
    checkout = made
    cluster = started
  })
  afterEach(killAll)
  afterAll(async () => {
    checkout.remove()
    await cluster.remove()
  })

  const SEAL = { HARMONY_RESPONSES_SEAL_KEYS: Buffer.alloc(32, 1).toString('base64') }
  const sql = async (text: string): Promise<void> => {
    const client = new Client({ connectionString: cluster.url })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'a response of a shared Postgres continues in another process after %s, and its client misses no event',
    async (signal) => {
      const env = { ...SEAL, HARMONY_RESPONSES_STORE: cluster.url }
      const { first, second } = await continuesElsewhere(checkout.folder, [], signal, env)
      const metrics = await (await fetch(`${second.url}/metrics`)).text()
      expect(second.banner).toContain(`keeps responses in postgres://127.0.0.1:${cluster.port}/postgres`)
      const printed = [first.banner, second.banner, metrics, first.errors, await second.kill('SIGTERM')].join('\n')
      expect(metrics).toContain('responses')
      expect(printed).not.toContain(cluster.password)
    },
  )

  test('a password on the command line is told once, and one in the environment or in a file is not', async () => {
    const told = 'other users of this machine see its password'
    const script = join(checkout.folder, 'script.json')
    writeFileSync(script, JSON.stringify([[{ answer: 'Hi!' }]]))
    const shown = await serve(checkout.folder, ['--script', script, '--store', cluster.url], SEAL)
    expect((await shown.kill('SIGTERM')).split(told).length - 1).toBe(1)
    const file = join(checkout.folder, 'store.txt')
    writeFileSync(file, `${cluster.url}\n`)
    const hidden = await serve(checkout.folder, ['--script', script, '--durability', 'power'], {
      ...SEAL,
      HARMONY_RESPONSES_STORE_FILE: file,
    })
    expect(await hidden.kill('SIGTERM')).not.toContain(told)
  })

  /** What is wrong with a start, and what it says. */
  const REFUSALS: Readonly<Record<string, readonly [change: (url: string) => NodeJS.ProcessEnv, said: string]>> = {
    'no server is there': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace(/:\d+\//, ':1/') }),
      'HARMONY_RESPONSES_STORE: the database 127.0.0.1:1/postgres: connect ECONNREFUSED 127.0.0.1:1',
    ],
    'the password is wrong': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace('swordfish', 'hunter2') }),
      'password authentication failed for user "postgres"',
    ],
    'the password is missing': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace(':swordfish', '') }),
      'client password must be a string',
    ],
    'the database is missing': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace(/postgres$/, 'nowhere') }),
      '/nowhere: database "nowhere" does not exist',
    ],
    'the user may create nothing': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace('postgres:swordfish', 'guest:hunter2') }),
      'permission denied for database',
    ],
    'the server has no TLS, which the URL demands': [
      (url) => ({ HARMONY_RESPONSES_STORE: `${url}?sslmode=verify-full` }),
      'The server does not support SSL connections',
    ],
    'the tables are of a newer version': [
      (url) => ({ HARMONY_RESPONSES_STORE: url.replace(/postgres$/, 'newer') }),
      'HARMONY_RESPONSES_STORE: expected a schema of version 1 or older, got version 999',
    ],
    'the URL has an unknown parameter': [
      (url) => ({ HARMONY_RESPONSES_STORE: `${url}?password=hunter2` }),
      'HARMONY_RESPONSES_STORE: expected no parameters but host, sslmode, sslrootcert, sslcert, sslkey',
    ],
    'the password has a question mark that is not escaped': [
      () => ({ HARMONY_RESPONSES_STORE: 'postgres://me:1234?hunter2@db/x' }),
      'HARMONY_RESPONSES_STORE: expected no parameters but host, sslmode, sslrootcert, sslcert, sslkey',
    ],
    'the URL is in quotes': [
      (url) => ({ HARMONY_RESPONSES_STORE: `"${url.replace('://', '://u:hunter2@')}"` }),
      'HARMONY_RESPONSES_STORE: expected a file or postgres://USER:PASSWORD@HOST/DATABASE, without quotes or blanks around it',
    ],
    'the URL is none': [
      () => ({ HARMONY_RESPONSES_STORE: 'postgres://swordfish@hunter2:x' }),
      'HARMONY_RESPONSES_STORE: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    ],
    'nobody knows the scheme': [
      () => ({ HARMONY_RESPONSES_STORE: 'redis://:hunter2@localhost' }),
      'HARMONY_RESPONSES_STORE: expected a file or postgres://USER:PASSWORD@HOST/DATABASE, got redis://',
    ],
    'it has no seal keys that others have': [
      (url) => ({ HARMONY_RESPONSES_STORE: url, HARMONY_RESPONSES_SEAL_KEYS: undefined }),
      'machines that share a store need the same keys: --seal-keys FILE or HARMONY_RESPONSES_SEAL_KEYS',
    ],
  }

  test.each(Object.keys(REFUSALS))(
    'a start is refused by one line and exit 2, without a credential, if %s',
    async (what) => {
      if (what === 'the tables are of a newer version') {
        await sql('CREATE DATABASE newer')
        const url = cluster.url.replace(/postgres$/, 'newer')
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query(
          'CREATE SCHEMA harmony_responses; CREATE TABLE harmony_responses.store_version AS SELECT 999 AS version',
        )
        await client.end()
      }
      if (what === 'the user may create nothing') {
        await sql("DROP SCHEMA IF EXISTS harmony_responses CASCADE; CREATE ROLE guest LOGIN PASSWORD 'hunter2'")
      }
      const [change, said] = REFUSALS[what] as (typeof REFUSALS)[string]
      const [code, lines] = await refused(checkout.folder, ['--replay'], { ...SEAL, ...change(cluster.url) })
      expect(lines, lines.join('\n')).toEqual([expect.stringContaining(said)])
      expect(lines.join()).not.toMatch(/swordfish|hunter2/)
      expect(code).toBe(2)
    },
  )
}
