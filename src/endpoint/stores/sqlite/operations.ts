import { type Moment, renewAfter } from '../database/expiry.js'
import type { AppendedRow, AppendRow, Became, Climbed, FinishedRow, StampedRow } from '../database/operation-types.js'
import { type Part, packed, partsOf } from '../database/packed-parts.js'
import { PAGE_BYTES, PAGE_ROWS } from '../database/page.js'
import type { ClaimedLease, EntryBlock, KeyedResponse, OpenResult, StoredBlock } from '../store.js'
import { createAdministration } from './administration.js'
import type { Database, Row, Value } from './driver.js'
import { createEviction } from './eviction.js'
import { createLeases } from './leases.js'
import { createNamedConversations } from './named-conversations.js'
import { createStatements } from './statements.js'
import type { Bounds, TimedOperations } from './timed-operations.js'

/*
 * The operations of the store, each in one transaction. They run in the worker, because every call waits for the disk.
 */

/** A stamp that no other row has had. */
const STAMP = 'lower(hex(randomblob(8)))'

export function createOperations(database: Database, bounds: Bounds): TimedOperations {
  const statements = createStatements(database)
  const { sql, inTransaction } = statements
  const named = createNamedConversations({ sql })
  const eviction = createEviction({ sql }, named, bounds)
  const { grow, shrink, expire, remove, entryBytes } = eviction
  const leases = createLeases({ sql }, bounds.leaseClock)
  const stale = renewAfter(bounds.seconds)

  function own(responseId: string, owner: string): Row | undefined {
    return sql('SELECT * FROM responses WHERE id = ? AND owner = ? AND is_deleted = 0').get(responseId, owner)
  }

  function use({ cid }: Row, now: number): void {
    sql('UPDATE conversations SET used = ? WHERE cid = ? AND used < ?').run(now, cid as Value, now - stale)
  }

  /** Returns a response and marks it as used. */
  function used(responseId: string, owner: string, now: number): Row | undefined {
    const response = own(responseId, owner)
    if (response !== undefined) use(response, now)
    return response
  }

  /** Returns a row's stamp. A row of an older version gets one. */
  function stamped({ rid, id, stamp }: Row): StampedRow {
    let latest = stamp
    if (latest === null) {
      sql(`UPDATE responses SET stamp = ${STAMP} WHERE rid = ? AND stamp IS NULL`).run(rid as Value)
      latest = sql('SELECT stamp FROM responses WHERE rid = ?').get(rid as Value)?.['stamp'] as Value
    }
    return { rid: rid as number, responseId: id as string, stamp: latest as string }
  }

  function rowAt(rid: Value | undefined): Row | undefined {
    return rid === null || rid === undefined ? undefined : sql('SELECT * FROM responses WHERE rid = ?').get(rid)
  }

  function insertBlock(rid: Value, at: number, { count, bytes }: EntryBlock): void {
    if (count > 0) sql('INSERT INTO entries (rid, at, count, bytes) VALUES (?, ?, ?, ?)').run(rid, at, count, bytes)
  }

  function mayConsume(ids: readonly string[], owner: string): boolean {
    return ids.every((id) => sql('SELECT 1 FROM approvals WHERE owner = ? AND id = ?').get(owner, id) === undefined)
  }

  function consume(ids: readonly string[], owner: string, now: number): void {
    for (const id of ids) sql('INSERT OR IGNORE INTO approvals (owner, id, used) VALUES (?, ?, ?)').run(owner, id, now)
  }

  function becameOf(rid: Value, head: Value): Became {
    const rows = sql('SELECT item_id, is_output, bytes FROM parts WHERE rid = ? ORDER BY seq').all(rid)
    const parts = rows.map(({ item_id, is_output, bytes }): Part => {
      return { itemId: item_id as string | null, isOutput: is_output === 1, bytes: bytes as Uint8Array }
    })
    return { head: head as Uint8Array, parts: packed(parts) }
  }

  function appendOne({ lease, at, entries, end, leaseSeconds }: AppendRow, time: Moment): AppendedRow {
    const response = own(lease.responseId, lease.owner)
    const isHeld = response?.['epoch'] === lease.epoch && response['lease_until'] !== null
    if (response === undefined || !isHeld) return { appended: { state: 'lost' } }
    const { rid, count } = response
    if (count !== at) return { appended: { state: 'behind', count: count as number } }
    if (entries !== undefined) insertBlock(rid as Value, at, entries)
    sql('UPDATE responses SET count = ?, lease_until = ?, lease_seconds = ?, lease_clock = ? WHERE rid = ?').run(
      at + (entries?.count ?? 0),
      time.steady + leaseSeconds,
      leaseSeconds,
      bounds.leaseClock,
      rid as Value,
    )
    if (end === undefined) return { appended: { state: 'written' } }
    finish(response, at + (entries?.count ?? 0), end, time.now)
    const previous = rowAt(response['previous'])
    return {
      appended: { state: 'written' },
      ended: { row: stamped(response), previous: previous && stamped(previous) },
    }
  }

  function finish(
    { rid, cid, owner }: Row,
    count: number,
    { became, entries, freesKey, joins }: NonNullable<AppendRow['end']>,
    now: number,
  ): void {
    named.end(rid as Value, joins)
    if (entries !== undefined) {
      sql('DELETE FROM entries WHERE rid = ?').run(rid as Value)
      insertBlock(rid as Value, 0, entries)
    }
    const hasEntries = entries === undefined || entries.count > 0
    const free = freesKey ? ', key = NULL, digest = NULL' : ''
    sql(`UPDATE responses SET head = ?, count = ?, has_entries = ?, lease_until = NULL${free} WHERE rid = ?`).run(
      became.head,
      entries?.count ?? count,
      hasEntries ? 1 : 0,
      rid as Value,
    )
    let bytes = became.head.length + entryBytes(rid as Value)
    for (const { itemId, isOutput, bytes: part } of partsOf(became.parts)) {
      sql('INSERT INTO parts (rid, owner, item_id, is_output, bytes) VALUES (?, ?, ?, ?, ?)').run(
        rid as Value,
        owner as Value,
        itemId,
        isOutput ? 1 : 0,
        part,
      )
      bytes += part.length
    }
    sql('UPDATE conversations SET running = running - 1, used = max(used, ?) WHERE cid = ?').run(now, cid as Value)
    grow(cid as Value, owner as Value, bytes)
    shrink(owner as string, cid as number)
  }

  return {
    ...createAdministration(statements, eviction),
    open: (time, { responseId, owner, previous, entries, approvals = [], key, leaseSeconds, turn }) =>
      inTransaction((): OpenResult => {
        const { now, steady } = time
        expire(time)
        if (sql('SELECT 1 FROM responses WHERE id = ?').get(responseId) !== undefined) return { state: 'exists' }
        const from = previous === undefined ? undefined : own(previous, owner)
        if (previous !== undefined && (from?.['head'] ?? null) === null) return { state: 'no_previous' }
        if (turn !== undefined && !named.mayOpen(turn, owner)) return { state: 'moved' }
        const by = key && keyed(key.key, owner)
        if (by !== undefined) return { state: 'key_taken', by }
        if (!mayConsume(approvals, owner)) return { state: 'consumed' }
        consume(approvals, owner, now)
        let cid = from?.['cid'] as number | undefined
        if (cid === undefined) {
          sql('INSERT INTO conversations (owner, used, running, bytes) VALUES (?, ?, 1, 0)').run(owner, now)
          cid = sql('SELECT last_insert_rowid() AS cid').get()?.['cid'] as number
        } else {
          sql('UPDATE conversations SET running = running + 1, used = max(used, ?) WHERE cid = ?').run(now, cid)
          sql('UPDATE responses SET children = children + 1 WHERE rid = ?').run(from?.['rid'] as Value)
        }
        sql(
          `INSERT INTO responses (id, owner, cid, previous, lease_until, lease_seconds, lease_clock, count, key, digest, stamp)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${STAMP})`,
        ).run(
          responseId,
          owner,
          cid,
          (from?.['rid'] as Value | undefined) ?? null,
          steady + leaseSeconds,
          leaseSeconds,
          bounds.leaseClock,
          entries.count,
          key?.key ?? null,
          key?.digest ?? null,
        )
        const rid = sql('SELECT last_insert_rowid() AS rid').get()?.['rid'] as Value
        insertBlock(rid, 0, entries)
        if (turn !== undefined) named.open(turn, owner, rid)
        return { state: 'opened', lease: { responseId, owner, epoch: 1 } }
      }),

    append: (time, appends) => inTransaction(() => appends.map((each) => appendOne(each, time))),

    claim: (time, { responseId, owner, leaseSeconds, isForced = false }) =>
      inTransaction((): ClaimedLease | undefined => {
        const response = own(responseId, owner)
        if (response === undefined || response['lease_until'] === null) return undefined
        if (!isForced && !leases.isExpired(response, time)) return undefined
        const epoch = (response['epoch'] as number) + 1
        sql('UPDATE responses SET epoch = ?, lease_until = ?, lease_seconds = ?, lease_clock = ? WHERE rid = ?').run(
          epoch,
          time.steady + leaseSeconds,
          leaseSeconds,
          bounds.leaseClock,
          response['rid'] as Value,
        )
        return { lease: { responseId, owner, epoch }, count: response['count'] as number }
      }),

    expired(time, max) {
      // A server that nobody asks deletes, too: it looks for dead processes all the time.
      if (eviction.isDue(time)) inTransaction(() => expire(time))
      return leases.expired(max, time)
    },

    find({ now }, responseId, owner, known) {
      const response = used(responseId, owner, now)
      if (response === undefined) return undefined
      if (response['head'] === null) return { state: 'running' }
      const row = stamped(response)
      const content = row.stamp === known ? undefined : becameOf(row.rid, response['head'] as Value)
      return { state: 'finished', row, content }
    },

    lineage({ now }, responseId, owner) {
      const response = used(responseId, owner, now)
      if (response === undefined) return undefined
      const isFinished = response['head'] !== null
      const last = isFinished ? response : rowAt(response['previous'])
      return {
        state: isFinished ? 'finished' : 'running',
        tip: stamped(response),
        last: last && stamped(last),
      }
    },

    climb(_time, tip, from, max): Climbed | undefined {
      // While it is there, so is everything that it continues.
      if (rowAt(tip.rid)?.['stamp'] !== tip.stamp) return undefined
      const rows: FinishedRow[] = []
      let next = rowAt(from)
      for (let bytes = 0; next !== undefined && rows.length < max && bytes < PAGE_BYTES; ) {
        const became = becameOf(next['rid'] as Value, next['head'] as Value)
        rows.push({ ...stamped(next), ...became })
        bytes += became.head.length + became.parts.bytes.length
        next = rowAt(next['previous'])
      }
      return { rows, next: next && stamped(next) }
    },

    findItem({ now }, itemId, owner) {
      const holders = sql(
        `SELECT responses.id AS id, cid, is_output, bytes, genuine FROM parts JOIN responses USING (rid)
           WHERE parts.owner = ? AND item_id = ? ORDER BY seq`,
      ).all(owner, itemId)
      const latest = holders.at(-1)
      if (latest === undefined) return undefined
      use(latest, now)
      const given = holders.find(({ is_output, genuine }) => is_output === 1 || genuine !== null)
      const { bytes, genuine } = given ?? (holders[0] as Row)
      const isOutput = given !== undefined
      return { responseId: latest['id'] as string, isOutput, bytes: (genuine ?? bytes) as Uint8Array }
    },

    findKey: (_time, key, owner) => keyed(key, owner),

    entries({ now }, responseId, owner, from) {
      const response = used(responseId, owner, now)
      if (response === undefined || response['has_entries'] === 0) return undefined
      const rows = sql('SELECT at, count, bytes FROM entries WHERE rid = ? AND at + count > ? ORDER BY at LIMIT ?').all(
        response['rid'] as Value,
        from,
        PAGE_ROWS,
      )
      let bytes = 0
      const beyond = rows.findIndex((row) => {
        if (bytes >= PAGE_BYTES) return true
        bytes += (row['bytes'] as Uint8Array).length
        return false
      })
      const blocks = beyond === -1 ? rows : rows.slice(0, beyond)
      return {
        // biome-ignore lint/plugin: SQLite's rows have no static type; the query names these columns.
        blocks: blocks as unknown as readonly StoredBlock[],
        isAll: beyond === -1 && rows.length < PAGE_ROWS,
        isOver: response['head'] !== null,
      }
    },

    delete: (_time, responseId, owner) =>
      inTransaction(() => {
        const response = own(responseId, owner)
        if (response === undefined) return false
        named.forget(response['rid'] as Value)
        remove(response)
        return true
      }),

    findNamed({ now }, id, owner) {
      const there = named.find(id, owner)
      if (there !== undefined) use({ cid: there.cid }, now)
      return there?.found
    },

    updateNamed: (_time, id, owner, facts) => inTransaction(() => named.update(id, owner, facts)),

    deleteNamed: (_time, id, owner) => inTransaction(() => named.delete(id, owner)),

    consumeApprovals: ({ now }, ids, owner) =>
      inTransaction(() => {
        if (!mayConsume(ids, owner)) return false
        consume(ids, owner, now)
        return true
      }),

    backup: (_time, file) => void sql('VACUUM INTO ?').run(file),
  }

  function keyed(key: string, owner: string): KeyedResponse | undefined {
    const found = sql('SELECT id, digest FROM responses WHERE owner = ? AND key = ?').get(owner, key)
    return found && { key, digest: found['digest'] as string, responseId: found['id'] as string }
  }
}
