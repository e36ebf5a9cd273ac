import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { createPostgresStore } from '../../../dist/endpoint/stores/postgres/index.js'
import { postgresObstacle, startPostgres } from '../../support/postgres-cluster.mjs'
import { harmsOf } from './harms.mjs'

let cluster

async function withClient({ url }, work) {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=harmony_responses' })
  // A crash of the server ends it.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Each query counts rows that must not exist. */
const FAULTS = {
  'responses that have a lease': 'SELECT count(*) FROM responses WHERE lease_until IS NOT NULL OR is_running',
  'responses without an end': 'SELECT count(*) FROM responses WHERE head IS NULL AND NOT is_deleted',
  'entries of no response': 'SELECT count(*) FROM entries WHERE rid NOT IN (SELECT rid FROM responses)',
  'responses whose entries are not one block':
    'SELECT count(*) FROM (SELECT rid FROM entries GROUP BY rid HAVING count(*) > 1) AS several',
  'items of no response': 'SELECT count(*) FROM parts WHERE rid NOT IN (SELECT rid FROM responses)',
  'responses of no conversation': 'SELECT count(*) FROM responses WHERE cid NOT IN (SELECT cid FROM conversations)',
  'conversations in which a response is said to run': 'SELECT count(*) FROM conversations WHERE running <> 0',
  'conversations whose bytes are not those of their content': `SELECT count(*) FROM conversations WHERE bytes <> (
    SELECT sum(coalesce(length(head), 0)
      + (SELECT coalesce(sum(length(bytes)), 0) FROM parts WHERE parts.rid = responses.rid)
      + (SELECT coalesce(sum(length(bytes)), 0) FROM entries WHERE entries.rid = responses.rid))
      FROM responses WHERE responses.cid = conversations.cid)`,
  'owners whose bytes are not those of their conversations': `SELECT count(*) FROM owners WHERE bytes <>
    (SELECT coalesce(sum(bytes), 0) FROM conversations WHERE conversations.owner = owners.owner)
    + (SELECT coalesce(sum(length(facts)), 0) FROM named_conversations WHERE named_conversations.owner = owners.owner)`,
}

export const postgres = {
  servers: 3,
  unavailable: postgresObstacle,
  async place() {
    cluster = await startPostgres()
    return { url: cluster.url }
  },
  open: ({ url }) => createPostgresStore({ url, durability: 'power' }),
  lock: (place, ms) =>
    withClient(place, async (client) => {
      await client.query('BEGIN')
      await client.query('LOCK TABLE responses IN EXCLUSIVE MODE')
      await wait(ms)
      await client.query('ROLLBACK')
    }),
  harms: {
    ...harmsOf(() => cluster),
    disconnect: () =>
      withClient({ url: cluster.url }, (client) =>
        client.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'harmony-responses'",
        ),
      ),
  },
  faults: (place) =>
    withClient(place, async (client) => {
      const found = []
      for (const [what, sql] of Object.entries(FAULTS)) {
        const count = Number((await client.query(sql)).rows[0].count)
        if (count > 0) found.push(`${count} ${what}`)
      }
      return found
    }),
  remove: () => cluster?.remove(),
}
