import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createSqliteStore } from '../../../dist/endpoint/stores/sqlite/index.js'

async function driver() {
  try {
    const { DatabaseSync } = await import('node:sqlite')
    return DatabaseSync
  } catch {
    const { default: Database } = await import('better-sqlite3')
    return Database
  }
}

async function withDatabase({ file }, work) {
  const Database = await driver()
  const database = new Database(file)
  try {
    database.exec('PRAGMA busy_timeout = 10000')
    return await work(database)
  } finally {
    database.close()
  }
}

/** Each query counts rows that must not exist. */
const FAULTS = {
  'responses that have a lease': 'SELECT count(*) AS count FROM responses WHERE lease_until IS NOT NULL',
  'responses without an end': 'SELECT count(*) AS count FROM responses WHERE head IS NULL AND is_deleted = 0',
  'entries of no response': 'SELECT count(*) AS count FROM entries WHERE rid NOT IN (SELECT rid FROM responses)',
  'responses whose entries are not one block':
    'SELECT count(*) AS count FROM (SELECT rid FROM entries GROUP BY rid HAVING count(*) > 1)',
  'items of no response': 'SELECT count(*) AS count FROM parts WHERE rid NOT IN (SELECT rid FROM responses)',
  'responses of no conversation':
    'SELECT count(*) AS count FROM responses WHERE cid NOT IN (SELECT cid FROM conversations)',
  'conversations in which a response is said to run': 'SELECT count(*) AS count FROM conversations WHERE running <> 0',
  'conversations whose bytes are not those of their content': `SELECT count(*) AS count FROM conversations WHERE bytes <> (
    SELECT sum(coalesce(length(head), 0)
      + (SELECT coalesce(sum(length(bytes)), 0) FROM parts WHERE parts.rid = responses.rid)
      + (SELECT coalesce(sum(length(bytes)), 0) FROM entries WHERE entries.rid = responses.rid))
      FROM responses WHERE responses.cid = conversations.cid)`,
  'owners whose bytes are not those of their conversations': `SELECT count(*) AS count FROM owners WHERE bytes <>
    (SELECT coalesce(sum(bytes), 0) FROM conversations WHERE conversations.owner = owners.owner)
    + (SELECT coalesce(sum(length(facts)), 0) FROM named_conversations WHERE named_conversations.owner = owners.owner)`,
}

export const sqlite = {
  servers: 2,
  async unavailable() {
    try {
      await driver()
    } catch {
      return `expected Node 22.13 or newer, or the package better-sqlite3, got Node ${process.versions.node}`
    }
  },
  place: (folder) => ({ file: join(folder, 'responses.db') }),
  open: ({ file }) => createSqliteStore({ file }),
  lock: (place, ms) =>
    withDatabase(place, async (database) => {
      database.exec('BEGIN IMMEDIATE')
      await wait(ms)
      database.exec('ROLLBACK')
    }),
  harms: {},
  remove() {},
  faults: (place) =>
    withDatabase(place, (database) =>
      Object.entries(FAULTS)
        .map(([what, sql]) => [database.prepare(sql).get().count, what])
        .filter(([count]) => count > 0)
        .map(([count, what]) => `${count} ${what}`),
    ),
}
