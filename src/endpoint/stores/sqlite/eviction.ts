import { createExpiry, MAX_EXPIRED, type Moment } from '../database/expiry.js'
import type { Row, Value } from './driver.js'
import type { NamedConversations } from './named-conversations.js'
import { bytesOf, countBytes } from './owner-bytes.js'
import type { Statements } from './statements.js'
import type { Bounds } from './timed-operations.js'

/** What leaves the database, and how many bytes each owner and each conversation has. Called within transactions. */
export interface Eviction {
  /** Counts bytes that are added, or negative ones that have left. */
  grow(cid: Value, owner: Value, bytes: number): void
  /** Returns the bytes of a response's entries. */
  entryBytes(rid: Value): number
  /** Evicts conversations of an owner above the limit, the least recently used first, except this one. */
  shrink(owner: string, cid: number): void
  /** Whether it is time to look for expired conversations, or some are left. */
  isDue(time: Moment): boolean
  /** Evicts some expired conversations. */
  expire(time: Moment): void
  /** Deletes a conversation as a whole. @param conversation - `cid`, `owner` and `bytes` */
  forget(conversation: Row): void
  /** Deletes a response, and its predecessors that were deleted before and that nothing else continues. */
  remove(response: Row): void
}

export function createEviction(
  { sql }: Pick<Statements, 'sql'>,
  named: NamedConversations,
  { seconds, ownerBytes }: Omit<Bounds, 'leaseClock'>,
): Eviction {
  const expiry = createExpiry(seconds)

  function grow(cid: Value, owner: Value, bytes: number): void {
    sql('UPDATE conversations SET bytes = bytes + ? WHERE cid = ?').run(bytes, cid)
    countBytes({ sql }, owner, bytes)
  }

  function shrink(owner: string, cid: number): void {
    while (bytesOf({ sql }, owner) > ownerBytes) {
      const oldest = sql(
        'SELECT cid, owner, bytes FROM conversations WHERE running = 0 AND owner = ? AND cid <> ? ORDER BY used LIMIT 1',
      ).get(owner, cid)
      if (oldest === undefined) return
      forget(oldest)
    }
  }

  function forget({ cid, owner, bytes }: Row): void {
    for (const table of ['entries', 'parts']) {
      sql(`DELETE FROM ${table} WHERE rid IN (SELECT rid FROM responses WHERE cid = ?)`).run(cid as Value)
    }
    named.forgetAll(cid as Value)
    sql('DELETE FROM responses WHERE cid = ?').run(cid as Value)
    sql('DELETE FROM conversations WHERE cid = ?').run(cid as Value)
    countBytes({ sql }, owner as Value, -(bytes as number))
    sql('DELETE FROM owners WHERE owner = ? AND bytes <= 0').run(owner as Value)
  }

  function expire(time: Moment): void {
    expiry.look(time)
    const { before } = expiry
    if (before === undefined) return
    const over = sql(
      'SELECT cid, owner, bytes FROM conversations WHERE running = 0 AND used <= ? ORDER BY used LIMIT ?',
    ).all(before, MAX_EXPIRED)
    for (const conversation of over) forget(conversation)
    if (over.length === MAX_EXPIRED) return
    sql(
      `DELETE FROM approvals WHERE used <= ? AND NOT EXISTS
         (SELECT 1 FROM parts WHERE parts.owner = approvals.owner AND parts.item_id = approvals.id)`,
    ).run(before)
    expiry.end()
  }

  function entryBytes(rid: Value): number {
    return sql('SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM entries WHERE rid = ?').get(rid)?.[
      'bytes'
    ] as number
  }

  /** Hides a deleted response, which stays only as a part of its conversation. */
  function hide({ rid, owner, cid }: Row): void {
    const given = sql(
      `SELECT item_id, coalesce(genuine, bytes) AS bytes FROM parts
         WHERE rid = ? AND item_id IS NOT NULL AND (is_output = 1 OR genuine IS NOT NULL)`,
    ).all(rid as Value)
    for (const { item_id, bytes } of given) {
      // Another response has a copy of the item: a response's own one takes precedence over a client's.
      sql(
        `UPDATE parts SET genuine = ? WHERE is_output = 0 AND seq =
           (SELECT max(seq) FROM parts WHERE owner = ? AND item_id = ? AND rid <> ?)`,
      ).run(bytes as Value, owner as Value, item_id as Value, rid as Value)
    }
    const entries = entryBytes(rid as Value)
    sql('DELETE FROM entries WHERE rid = ?').run(rid as Value)
    const isRunning = sql('SELECT 1 FROM responses WHERE rid = ? AND lease_until IS NOT NULL').get(rid as Value)
    if (isRunning) sql('UPDATE conversations SET running = running - 1 WHERE cid = ?').run(cid as Value)
    else grow(cid as Value, owner as Value, -entries)
    sql('UPDATE parts SET item_id = NULL WHERE rid = ?').run(rid as Value)
    sql(
      'UPDATE responses SET is_deleted = 1, has_entries = 0, lease_until = NULL, key = NULL, digest = NULL WHERE rid = ?',
    ).run(rid as Value)
  }

  /**
   * Evicts a deleted response without continuations, and then each predecessor that is deleted and has no other
   * continuation.
   */
  function prune(rid: Value): void {
    for (let at: Value = rid; at !== null; ) {
      const last = sql('SELECT * FROM responses WHERE rid = ? AND is_deleted = 1 AND children = 0').get(at)
      if (last === undefined) return
      const size = sql('SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM parts WHERE rid = ?').get(at)
      const head = (last['head'] as Uint8Array | null)?.length ?? 0
      grow(last['cid'] as Value, last['owner'] as Value, -head - ((size?.['bytes'] as number | undefined) ?? 0))
      sql('DELETE FROM parts WHERE rid = ?').run(at)
      sql('DELETE FROM responses WHERE rid = ?').run(at)
      const previous = last['previous'] as Value
      if (previous !== null) sql('UPDATE responses SET children = children - 1 WHERE rid = ?').run(previous)
      const rest = sql('SELECT 1 FROM responses WHERE cid = ? LIMIT 1').get(last['cid'] as Value)
      if (rest === undefined) {
        const empty = sql('SELECT cid, owner, bytes FROM conversations WHERE cid = ?').get(last['cid'] as Value)
        if (empty !== undefined) forget(empty)
      }
      at = previous
    }
  }

  return {
    grow,
    entryBytes,
    shrink,
    isDue: ({ steady }) => expiry.before !== undefined || expiry.isDue(steady),
    expire,
    forget,
    remove(response) {
      hide(response)
      prune(response['rid'] as Value)
    },
  }
}
