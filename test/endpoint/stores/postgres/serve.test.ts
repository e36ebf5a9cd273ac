import { Client } from 'pg'
import { afterEach } from 'vitest'
import { checkoutAndServer } from '../database/checkout-and-server.js'
import { killAll } from '../database/served.js'
import { type Refusals, sharedServeLaws } from '../database/shared-serve-laws.js'
import { describeWithPostgres, startPostgres } from './cluster.js'

describeWithPostgres('serve --store postgres://', suite)

function suite(): void {
  const place = checkoutAndServer(startPostgres)
  afterEach(killAll)

  const sql = async (text: string, url: string = place().server.url): Promise<void> => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }

  const REFUSALS: Refusals = {
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
      'HARMONY_RESPONSES_STORE: expected a schema of version 2 or older, got version 999',
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
      'HARMONY_RESPONSES_STORE: expected a file, postgres://USER:PASSWORD@HOST/DATABASE or redis://USER:PASSWORD@HOST, without quotes or blanks around it',
    ],
    'the URL is none': [
      () => ({ HARMONY_RESPONSES_STORE: 'postgres://swordfish@hunter2:x' }),
      'HARMONY_RESPONSES_STORE: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    ],
    'nobody knows the scheme': [
      () => ({ HARMONY_RESPONSES_STORE: 'mysql://:hunter2@localhost' }),
      'HARMONY_RESPONSES_STORE: expected a file, postgres://USER:PASSWORD@HOST/DATABASE or redis://USER:PASSWORD@HOST, got mysql://',
    ],
    'it has no seal keys that others have': [
      (url) => ({ HARMONY_RESPONSES_STORE: url, HARMONY_RESPONSES_SEAL_KEYS: undefined }),
      'machines that share a store need the same keys: --seal-keys FILE or HARMONY_RESPONSES_SEAL_KEYS',
    ],
  }

  async function prepare(what: string): Promise<void> {
    if (what === 'the tables are of a newer version') {
      await sql('CREATE DATABASE newer')
      const version = 'CREATE TABLE harmony_responses.store_version AS SELECT 999 AS version'
      await sql(`CREATE SCHEMA harmony_responses; ${version}`, place().server.url.replace(/postgres$/, 'newer'))
    }
    if (what === 'the user may create nothing') {
      await sql("DROP SCHEMA IF EXISTS harmony_responses CASCADE; CREATE ROLE guest LOGIN PASSWORD 'hunter2'")
    }
  }

  sharedServeLaws(
    'a shared Postgres',
    () => ({ ...place(), shown: `postgres://127.0.0.1:${place().server.port}/postgres` }),
    REFUSALS,
    prepare,
  )
}
