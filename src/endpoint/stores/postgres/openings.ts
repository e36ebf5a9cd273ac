import { marked, unmarked } from '../database/marked-text.js'
import type { NewRow } from '../database/operation-types.js'
import type { KeyedResponse, OpenResult } from '../store.js'
import { consume } from './approvals.js'
import { bytesOf } from './blobs.js'
import type { Connections, Query } from './connections.js'
import { Undone } from './failures.js'
import { keyOf, nameOf } from './names.js'

/**
 * Inserts the response, and a conversation, unless it continues one; or nothing, if its id or its key is known, or what it
 * continues is not there. A conversation is locked before its responses, everywhere: none of them is deleted meanwhile.
 */
const OPEN = `
  WITH kept AS MATERIALIZED (
    SELECT cid FROM conversations WHERE cid = (SELECT cid FROM responses WHERE id = $3 AND owner = $2) FOR UPDATE
  ),
  previous AS MATERIALIZED (
    SELECT rid, cid FROM responses WHERE id = $3 AND owner = $2 AND cid = (SELECT cid FROM kept)
      AND NOT is_deleted AND NOT is_running FOR NO KEY UPDATE
  ),
  named AS MATERIALIZED (
    SELECT id FROM named_conversations WHERE owner = $2 AND id = $9 AND open IS NULL
      AND last = (SELECT rid FROM responses WHERE id = $10 AND owner = $2) FOR UPDATE
  ),
  opened AS (
    INSERT INTO responses (id, owner, cid, previous, lease_until, count, entry_bytes, key, digest)
      SELECT $1, $2, coalesce(cid, nextval(pg_get_serial_sequence('conversations', 'cid'))), rid,
          clock_timestamp() + make_interval(secs => $4), $5::bigint, length($6::bytea), $7, $8
        FROM (SELECT rid, cid FROM previous UNION ALL SELECT NULL, NULL WHERE $3::text IS NULL) AS begun
        WHERE $9::text IS NULL OR CASE WHEN $10::text IS NULL
          THEN NOT EXISTS (SELECT FROM named_conversations WHERE owner = $2 AND id = $9)
          ELSE EXISTS (SELECT FROM named)
        END
      ON CONFLICT DO NOTHING RETURNING rid, cid, previous
  ),
  begun AS (
    INSERT INTO conversations (cid, owner, used, running, bytes)
      SELECT cid, $2, now(), 1, 0 FROM opened WHERE previous IS NULL
  ),
  turned AS (
    UPDATE named_conversations SET open = opened.rid FROM opened
      WHERE named_conversations.owner = $2 AND named_conversations.id = $9 AND $10::text IS NOT NULL
  ),
  begun_named AS (
    INSERT INTO named_conversations (owner, id, open, facts)
      SELECT $2, $9, rid, $11 FROM opened WHERE $9::text IS NOT NULL AND $10::text IS NULL
      RETURNING length(facts) AS size
  ),
  owned AS (
    INSERT INTO owners (owner, bytes) SELECT $2, size FROM begun_named
      ON CONFLICT (owner) DO UPDATE SET bytes = owners.bytes + excluded.bytes
  ),
  joined AS (
    UPDATE conversations SET running = running + 1, used = greatest(used, now()) FROM opened
      WHERE conversations.cid = opened.cid AND opened.previous IS NOT NULL
  ),
  continued AS (
    UPDATE responses SET children = children + 1 FROM opened WHERE responses.rid = opened.previous
  ),
  inserted AS (
    INSERT INTO entries (rid, at, count, bytes) SELECT rid, 0, $5, $6 FROM opened WHERE $5 > 0
  )
  SELECT rid FROM opened`

const REASON = `
  SELECT EXISTS (SELECT FROM responses WHERE id = $1) AS is_known, $3::text IS NULL OR EXISTS (
      SELECT FROM responses WHERE id = $3 AND owner = $2 AND NOT is_deleted AND NOT is_running
    ) AS has_previous, $4::text IS NULL OR CASE WHEN $5::text IS NULL
      THEN NOT EXISTS (SELECT FROM named_conversations WHERE owner = $2 AND id = $4)
      ELSE EXISTS (
        SELECT FROM named_conversations JOIN responses ON responses.rid = last
          WHERE named_conversations.owner = $2 AND named_conversations.id = $4 AND open IS NULL AND responses.id = $5
      )
    END AS has_turn`

const KEYED = 'SELECT id, digest FROM responses WHERE owner = $1 AND key = $2'

/** A refusal whose reason is gone when it is looked for: the opening is tried again. */
const AGAIN = 'again'
const TRIES = 5

/** Opens a response, with all that is written in the same step. */
export async function open({ retried, inTransaction }: Connections, response: NewRow): Promise<OpenResult> {
  const { approvals = [] } = response
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const opening =
      approvals.length === 0
        ? await retried((query) => openAlone(query, response))
        : await inTransaction(async (query) => {
            const opened = await openAlone(query, response)
            if (opened === AGAIN || opened.state !== 'opened') return opened
            if (!(await consume(query, approvals, response.owner))) throw new Undone<OpenResult>({ state: 'consumed' })
            return opened
          })
    if (opening !== AGAIN) return opening
  }
  throw new Error(`expected to open a response within ${TRIES} tries`)
}

async function openAlone(query: Query, response: NewRow): Promise<OpenResult | typeof AGAIN> {
  const { responseId, owner, previous, entries, key, leaseSeconds, turn } = response
  const named = turn === undefined ? [null, null] : [nameOf(turn.conversationId), orNull(turn.last, keyOf)]
  const names = [nameOf(responseId), nameOf(owner), orNull(previous, nameOf)]
  const opened = await query(
    OPEN,
    ...names,
    leaseSeconds,
    entries.count,
    bytesOf(entries) ?? new Uint8Array(),
    key === undefined ? null : keyOf(key.key),
    key === undefined ? null : marked(key.digest),
    ...named,
    turn?.facts ?? null,
  )
  if (opened.length > 0) return { state: 'opened', lease: { responseId, owner, epoch: 1 } }
  const [reason] = await query(REASON, ...names, ...named)
  if (reason?.['is_known'] === true) return { state: 'exists' }
  if (reason?.['has_previous'] === false) return { state: 'no_previous' }
  if (reason?.['has_turn'] === false) return { state: 'moved' }
  const by = key && (await findKey(query, key.key, owner))
  return by === undefined ? AGAIN : { state: 'key_taken', by }
}

function orNull(text: string | undefined, stored: (text: string) => string): string | null {
  return text === undefined ? null : stored(text)
}

export async function findKey(query: Query, key: string, owner: string): Promise<KeyedResponse | undefined> {
  const [found] = await query(KEYED, nameOf(owner), keyOf(key))
  return found && { key, digest: unmarked(found['digest'] as string), responseId: unmarked(found['id'] as string) }
}
