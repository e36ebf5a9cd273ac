import { HarmonyResponsesError } from '../../../shared/errors.js'
import type { Database } from './driver.js'

/**
 * The migrations from each version of the file to the next; the first creates a new file. Published ones never change;
 * append another one instead.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE conversations (
    cid INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    used REAL NOT NULL,
    running INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  );
  CREATE INDEX conversations_by_use ON conversations (used) WHERE running = 0;
  CREATE INDEX conversations_of_owner ON conversations (owner, used) WHERE running = 0;

  CREATE TABLE owners (owner TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE responses (
    rid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    cid INTEGER NOT NULL,
    previous INTEGER,
    children INTEGER NOT NULL DEFAULT 0,
    epoch INTEGER NOT NULL DEFAULT 1,
    lease_until REAL,
    count INTEGER NOT NULL,
    has_entries INTEGER NOT NULL DEFAULT 1,
    is_deleted INTEGER NOT NULL DEFAULT 0,
    key TEXT,
    digest TEXT,
    head BLOB
  );
  CREATE INDEX responses_of_conversation ON responses (cid);
  CREATE INDEX responses_by_lease ON responses (lease_until) WHERE lease_until IS NOT NULL;
  CREATE UNIQUE INDEX responses_by_key ON responses (owner, key) WHERE key IS NOT NULL;

  CREATE TABLE entries (
    rid INTEGER NOT NULL,
    at INTEGER NOT NULL,
    count INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (rid, at)
  ) WITHOUT ROWID;

  CREATE TABLE parts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rid INTEGER NOT NULL,
    owner TEXT NOT NULL,
    item_id TEXT,
    is_output INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    genuine BLOB
  );
  CREATE INDEX parts_of_response ON parts (rid, seq);
  CREATE INDEX parts_by_item ON parts (owner, item_id) WHERE item_id IS NOT NULL;

  CREATE TABLE approvals (
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    used REAL NOT NULL,
    PRIMARY KEY (owner, id)
  ) WITHOUT ROWID;
  CREATE INDEX approvals_by_use ON approvals (used);
  `,
  // Absent in rows that an older version writes.
  'ALTER TABLE responses ADD COLUMN stamp TEXT;',
  `
  ALTER TABLE responses ADD COLUMN lease_seconds REAL;
  ALTER TABLE responses ADD COLUMN lease_clock TEXT;
  DROP INDEX responses_by_lease;
  CREATE INDEX responses_by_lease ON responses (lease_clock, lease_until) WHERE lease_until IS NOT NULL;
  `,
  `
  CREATE TABLE named_conversations (
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    last INTEGER,
    open INTEGER,
    facts BLOB NOT NULL,
    PRIMARY KEY (owner, id)
  ) WITHOUT ROWID;
  CREATE INDEX named_conversations_by_last ON named_conversations (last) WHERE last IS NOT NULL;
  CREATE INDEX named_conversations_by_open ON named_conversations (open) WHERE open IS NOT NULL;
  `,
]

/** Marks the file as this store's: "harm" in ASCII. */
const APPLICATION_ID = 0x6861726d

/**
 * Checks that a file is empty or this store's, and returns the version of its tables.
 *
 * @throws HarmonyResponsesError `bad_option` if the file is another program's, or a newer version's
 */
export function versionOf(database: Database): number {
  const { version, id, tables } = database.prepare(FACTS).get() as Readonly<Record<'version' | 'id' | 'tables', number>>
  if (id !== APPLICATION_ID && tables !== 0) throw notOurs('a file of this store, got a database of another program')
  if (version > MIGRATIONS.length)
    throw notOurs(`a file of version ${MIGRATIONS.length} or older, got version ${version}`)
  return version
}

/** At once: between two statements, another process may create the tables. */
const FACTS = `SELECT user_version AS version, application_id AS id,
    (SELECT count(*) FROM sqlite_schema WHERE type = 'table') AS tables
  FROM pragma_user_version, pragma_application_id`

/**
 * Creates the tables, or migrates those of an older version. Two processes may begin at the same time.
 *
 * @throws HarmonyResponsesError as {@link versionOf}
 */
export function migrate(database: Database): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function notOurs(problem: string): HarmonyResponsesError {
  return new HarmonyResponsesError('bad_option', `createSqliteStore: expected ${problem}`)
}
