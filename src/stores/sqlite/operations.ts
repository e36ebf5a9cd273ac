import type {
  Appended,
  Claim,
  Claimed,
  EntryBlock,
  ExpiredResponse,
  KeyedResponse,
  Lease,
  NewResponse,
  Opening,
  StoredBlock,
} from '../store.js'
import type { Database, Row, Statement, Value } from './driver.js'

/*
 * The operations of the store, each in one transaction. They run in the worker, because every call waits for the disk.
 * Content is bytes here, which may be encrypted.
 */

/** An item of a finished response. */
export interface Part {
  readonly itemId: string | null
  readonly isOutput: boolean
  readonly bytes: Uint8Array
}

/** A finished response without its items, and its items. */
export interface Became {
  readonly head: Uint8Array
  readonly parts: readonly Part[]
}

export interface AppendRow {
  readonly lease: Lease
  readonly at: number
  readonly entries: EntryBlock | undefined
  readonly end:
    | { readonly became: Became; readonly entries: EntryBlock | undefined; readonly freesKey: boolean }
    | undefined
  readonly leaseSeconds: number
}

export interface FoundRow {
  readonly state: 'running' | 'finished'
  readonly responses: readonly (Became & { readonly responseId: string })[]
}

export interface FoundPart {
  readonly responseId: string
  readonly isOutput: boolean
  readonly bytes: Uint8Array
}

export interface FoundBlocks {
  readonly blocks: readonly StoredBlock[]
  readonly isOver: boolean
}

export interface Bounds {
  readonly seconds: number
  readonly ownerBytes: number
}

/** The operations that can be requested, by name. `now` is the store's clock, in seconds. */
export interface Operations {
  open(response: NewResponse, now: number): Opening
  append(appends: readonly AppendRow[], now: number): readonly Appended[]
  claim(claim: Claim, now: number): Claimed | undefined
  expired(most: number, now: number): readonly ExpiredResponse[]
  find(responseId: string, owner: string, now: number): FoundRow | undefined
  lineage(responseId: string, owner: string, now: number): FoundRow | undefined
  findItem(itemId: string, owner: string, now: number): FoundPart | undefined
  findKey(key: string, owner: string): KeyedResponse | undefined
  entries(responseId: string, owner: string, from: number, now: number): FoundBlocks | undefined
  delete(responseId: string, owner: string): boolean
  consumeApprovals(ids: readonly string[], owner: string, now: number): boolean
  backup(file: string): void
}

/** The interval of looking for expired data, in seconds. */
const SWEEP_SECONDS = 60

export function createOperations(database: Database, { seconds, ownerBytes }: Bounds): Operations {
  const statements = new Map<string, Statement>()
  let sweptAt = Number.NEGATIVE_INFINITY
  /** A conversation in constant use need not be written to constantly. */
  const renewAfter = Math.min(60, seconds / 10)

  function sql(text: string): Statement {
    let statement = statements.get(text)
    if (statement === undefined) {
      statement = database.prepare(text)
      statements.set(text, statement)
    }
    return statement
  }

  function inTransaction<Result>(work: () => Result): Result {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      try {
        database.exec('ROLLBACK')
      } catch {
        // A full disk rolls back by itself.
      }
      throw error
    }
  }

  function own(responseId: string, owner: string): Row | undefined {
    return sql('SELECT * FROM responses WHERE id = ? AND owner = ? AND is_deleted = 0').get(responseId, owner)
  }

  function use({ cid }: Row, now: number): void {
    sql('UPDATE conversations SET used = ? WHERE cid = ? AND used < ?').run(now, cid as Value, now - renewAfter)
  }

  /** Returns a response and marks it as used. */
  function used(responseId: string, owner: string, now: number): Row | undefined {
    const response = own(responseId, owner)
    if (response !== undefined) use(response, now)
    return response
  }

  function grow(cid: Value, owner: Value, bytes: number): void {
    sql('UPDATE conversations SET bytes = bytes + ? WHERE cid = ?').run(bytes, cid)
    sql(
      'INSERT INTO owners (owner, bytes) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes',
    ).run(owner, bytes)
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
    return { head: head as Uint8Array, parts }
  }

  function appendOne({ lease, at, entries, end, leaseSeconds }: AppendRow, now: number): Appended {
    const response = own(lease.responseId, lease.owner)
    const isHeld = response?.['epoch'] === lease.epoch && response['lease_until'] !== null
    if (response === undefined || !isHeld) return { state: 'lost' }
    const { rid, count } = response
    if (count !== at) return { state: 'behind', count: count as number }
    if (entries !== undefined) insertBlock(rid as Value, at, entries)
    sql('UPDATE responses SET count = ?, lease_until = ? WHERE rid = ?').run(
      at + (entries?.count ?? 0),
      now + leaseSeconds,
      rid as Value,
    )
    if (end !== undefined) finish(response, at + (entries?.count ?? 0), end, now)
    return { state: 'written' }
  }

  function finish(
    { rid, cid, owner }: Row,
    count: number,
    { became, entries, freesKey }: NonNullable<AppendRow['end']>,
    now: number,
  ): void {
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
    let bytes = became.head.length + (entries?.bytes.length ?? 0)
    for (const { itemId, isOutput, bytes: part } of became.parts) {
      sql('INSERT INTO parts (rid, owner, item_id, is_output, bytes) VALUES (?, ?, ?, ?, ?)').run(
        rid as Value,
        owner as Value,
        itemId,
        isOutput ? 1 : 0,
        part,
      )
      bytes += part.length
    }
    sql('UPDATE conversations SET running = running - 1, used = ? WHERE cid = ?').run(now, cid as Value)
    grow(cid as Value, owner as Value, bytes)
    shrink(owner as string, cid as number)
  }

  /** Evicts conversations of an owner above the limit, the least recently used first, except this one. */
  function shrink(owner: string, cid: number): void {
    for (;;) {
      const held = sql('SELECT bytes FROM owners WHERE owner = ?').get(owner)
      if (((held?.['bytes'] as number | undefined) ?? 0) <= ownerBytes) return
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
    sql('DELETE FROM responses WHERE cid = ?').run(cid as Value)
    sql('DELETE FROM conversations WHERE cid = ?').run(cid as Value)
    sql('UPDATE owners SET bytes = bytes - ? WHERE owner = ?').run(bytes as Value, owner as Value)
    sql('DELETE FROM owners WHERE owner = ? AND bytes <= 0').run(owner as Value)
  }

  /** Evicts expired conversations. */
  function expire(now: number): void {
    if (now - sweptAt < Math.min(SWEEP_SECONDS, seconds / 10)) return
    sweptAt = now
    const over = sql('SELECT cid, owner, bytes FROM conversations WHERE running = 0 AND used <= ?').all(now - seconds)
    for (const conversation of over) forget(conversation)
    sql(
      `DELETE FROM approvals WHERE used <= ? AND NOT EXISTS
         (SELECT 1 FROM parts WHERE parts.owner = approvals.owner AND parts.item_id = approvals.id)`,
    ).run(now - seconds)
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
    const entries = sql('SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM entries WHERE rid = ?').get(rid as Value)
    sql('DELETE FROM entries WHERE rid = ?').run(rid as Value)
    const isRunning = sql('SELECT 1 FROM responses WHERE rid = ? AND lease_until IS NOT NULL').get(rid as Value)
    if (isRunning) sql('UPDATE conversations SET running = running - 1 WHERE cid = ?').run(cid as Value)
    else grow(cid as Value, owner as Value, -((entries?.['bytes'] as number | undefined) ?? 0))
    sql('UPDATE parts SET item_id = NULL WHERE rid = ?').run(rid as Value)
    sql(
      'UPDATE responses SET is_deleted = 1, has_entries = 0, lease_until = NULL, key = NULL, digest = NULL WHERE rid = ?',
    ).run(rid as Value)
  }

  /** Evicts a deleted response that nothing continues, and then its predecessors of which the same is true. */
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
    open: ({ responseId, owner, previous, entries, approvals = [], key, leaseSeconds }, now) =>
      inTransaction((): Opening => {
        expire(now)
        if (sql('SELECT 1 FROM responses WHERE id = ?').get(responseId) !== undefined) return { state: 'exists' }
        const from = previous === undefined ? undefined : own(previous, owner)
        if (previous !== undefined && (from?.['head'] ?? null) === null) return { state: 'no_previous' }
        const by = key && keyed(key.key, owner)
        if (by !== undefined) return { state: 'key_taken', by }
        if (!mayConsume(approvals, owner)) return { state: 'consumed' }
        consume(approvals, owner, now)
        let cid = from?.['cid'] as number | undefined
        if (cid === undefined) {
          sql('INSERT INTO conversations (owner, used, running, bytes) VALUES (?, ?, 1, 0)').run(owner, now)
          cid = sql('SELECT last_insert_rowid() AS cid').get()?.['cid'] as number
        } else {
          sql('UPDATE conversations SET running = running + 1, used = ? WHERE cid = ?').run(now, cid)
          sql('UPDATE responses SET children = children + 1 WHERE rid = ?').run(from?.['rid'] as Value)
        }
        sql(
          `INSERT INTO responses (id, owner, cid, previous, lease_until, count, key, digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ).run(
          responseId,
          owner,
          cid,
          (from?.['rid'] as Value | undefined) ?? null,
          now + leaseSeconds,
          entries.count,
          key?.key ?? null,
          key?.digest ?? null,
        )
        insertBlock(sql('SELECT last_insert_rowid() AS rid').get()?.['rid'] as Value, 0, entries)
        return { state: 'opened', lease: { responseId, owner, epoch: 1 } }
      }),

    append: (appends, now) => inTransaction(() => appends.map((each) => appendOne(each, now))),

    claim: ({ responseId, owner, leaseSeconds, isForced = false }, now) =>
      inTransaction((): Claimed | undefined => {
        const response = own(responseId, owner)
        const until = response?.['lease_until'] as number | null | undefined
        if (response === undefined || until === null || until === undefined) return undefined
        if (!isForced && until > now) return undefined
        const epoch = (response['epoch'] as number) + 1
        sql('UPDATE responses SET epoch = ?, lease_until = ? WHERE rid = ?').run(
          epoch,
          now + leaseSeconds,
          response['rid'] as Value,
        )
        return { lease: { responseId, owner, epoch }, count: response['count'] as number }
      }),

    expired: (most, now) =>
      sql(
        'SELECT id, owner FROM responses WHERE lease_until IS NOT NULL AND lease_until <= ? ORDER BY lease_until LIMIT ?',
      )
        .all(now, most)
        .map(({ id, owner }) => ({ responseId: id as string, owner: owner as string })),

    find(responseId, owner, now) {
      const response = used(responseId, owner, now)
      if (response === undefined) return undefined
      if (response['head'] === null) return { state: 'running', responses: [] }
      const became = becameOf(response['rid'] as Value, response['head'] as Value)
      return { state: 'finished', responses: [{ responseId, ...became }] }
    },

    lineage(responseId, owner, now) {
      const response = used(responseId, owner, now)
      if (response === undefined) return undefined
      const rows = sql(
        `WITH RECURSIVE up (rid, id, previous, head, place) AS (
           SELECT rid, id, previous, head, 0 FROM responses WHERE rid = ?
           UNION ALL
           SELECT one.rid, one.id, one.previous, one.head, place + 1 FROM responses AS one JOIN up ON one.rid = up.previous
         )
         SELECT rid, id, head FROM up WHERE head IS NOT NULL ORDER BY place DESC`,
      ).all(response['rid'] as Value)
      const responses = rows.map(({ rid, id, head }) => {
        return { responseId: id as string, ...becameOf(rid as Value, head as Value) }
      })
      return { state: response['head'] === null ? 'running' : 'finished', responses }
    },

    findItem(itemId, owner, now) {
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

    findKey: keyed,

    entries(responseId, owner, from, now) {
      const response = used(responseId, owner, now)
      if (response === undefined || response['has_entries'] === 0) return undefined
      const rows = sql('SELECT at, count, bytes FROM entries WHERE rid = ? AND at + count > ? ORDER BY at').all(
        response['rid'] as Value,
        from,
      )
      // SQLite's rows have no static type; the query names these columns.
      return { blocks: rows as unknown as readonly StoredBlock[], isOver: response['head'] !== null }
    },

    delete: (responseId, owner) =>
      inTransaction(() => {
        const response = own(responseId, owner)
        if (response === undefined) return false
        hide(response)
        prune(response['rid'] as Value)
        return true
      }),

    consumeApprovals: (ids, owner, now) =>
      inTransaction(() => {
        if (!mayConsume(ids, owner)) return false
        consume(ids, owner, now)
        return true
      }),

    backup: (file) => void sql('VACUUM INTO ?').run(file),
  }

  function keyed(key: string, owner: string): KeyedResponse | undefined {
    const found = sql('SELECT id, digest FROM responses WHERE owner = ? AND key = ?').get(owner, key)
    return found && { key, digest: found['digest'] as string, responseId: found['id'] as string }
  }
}
