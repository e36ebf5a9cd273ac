import { steadySeconds } from '../../../shared/system/steady-seconds.js'
import { createExpiry, MAX_EXPIRED } from '../database/expiry.js'
import type { Connections, Query, Row } from './connections.js'

/** What leaves the database, and how many bytes each owner has. */
export interface Eviction {
  /** Counts bytes that are added, or negative ones that have left. The last step of a transaction: owners are shared. */
  grow(query: Query, added: readonly { readonly owner: string; readonly bytes: number }[]): Promise<void>
  /**
   * Evicts conversations of owners that are above the limit, the least recently used first, except those that have grown.
   *
   * @param grown - rows of `cid`, `owner` and `owner_bytes`
   */
  shrink(grown: readonly Row[]): Promise<void>
  /** Evicts some expired conversations, if it is time to look for them. */
  expire(): Promise<void>
  /** Deletes conversations as a whole. Returns their bytes. @param conversations - rows of `cid` */
  forget(query: Query, conversations: readonly Row[]): Promise<number>
}

export interface Bounds {
  readonly seconds: number
  readonly ownerBytes: number
}

const GROW = `
  INSERT INTO owners (owner, bytes)
    SELECT owner, sum(bytes) FROM unnest($1::text[], $2::bigint[]) AS given (owner, bytes) GROUP BY owner ORDER BY owner
    ON CONFLICT (owner) DO UPDATE SET bytes = owners.bytes + excluded.bytes`

const SHRUNK = 'DELETE FROM owners WHERE owner = ANY($1::text[]) AND bytes <= 0'

const OLDEST = `
  SELECT cid, bytes FROM conversations WHERE running = 0 AND owner = $1 AND cid <> ALL($2::bigint[])
    ORDER BY used LIMIT $3 FOR UPDATE SKIP LOCKED`

const EXPIRED = `
  SELECT cid FROM conversations WHERE running = 0 AND used <= to_timestamp($1)
    ORDER BY used LIMIT $2 FOR UPDATE SKIP LOCKED`

const FORGET = `
  WITH gone AS (DELETE FROM responses WHERE cid = ANY($1::bigint[]) RETURNING rid),
  dropped AS (DELETE FROM entries WHERE rid IN (SELECT rid FROM gone)),
  nothing AS (DELETE FROM parts WHERE rid IN (SELECT rid FROM gone)),
  unnamed AS (
    DELETE FROM named_conversations
      WHERE last IN (SELECT rid FROM gone) OR (last IS NULL AND open IN (SELECT rid FROM gone))
      RETURNING owner, length(facts) AS size
  ),
  freed AS (
    UPDATE named_conversations SET open = NULL
      WHERE open IN (SELECT rid FROM gone) AND last IS NOT NULL AND last NOT IN (SELECT rid FROM gone)
  ),
  forgotten AS (DELETE FROM conversations WHERE cid = ANY($1::bigint[]) RETURNING owner, bytes)
  SELECT owner, -sum(bytes)::bigint AS bytes
    FROM (SELECT owner, bytes FROM forgotten UNION ALL SELECT owner, size FROM unnamed) AS counted GROUP BY owner`

const APPROVALS = `
  DELETE FROM approvals WHERE used <= to_timestamp($1)
    AND NOT EXISTS (SELECT FROM parts WHERE parts.owner = approvals.owner AND parts.item_id = approvals.id)`

/** The conversations that are evicted at a time for lack of room. */
const MAX_SHRUNK = 16

export function createEviction(connections: Connections, { seconds, ownerBytes }: Bounds): Eviction {
  const expiry = createExpiry(seconds)

  const grow: Eviction['grow'] = async (query, added) => {
    await query(
      GROW,
      added.map(({ owner }) => owner),
      added.map(({ bytes }) => bytes),
    )
    const shrunk = added.filter(({ bytes }) => bytes < 0)
    if (shrunk.length > 0)
      await query(
        SHRUNK,
        shrunk.map(({ owner }) => owner),
      )
  }

  async function forget(query: Query, conversations: readonly Row[]): Promise<number> {
    if (conversations.length === 0) return 0
    const owners = await query(
      FORGET,
      conversations.map(({ cid }) => cid as number),
    )
    const freed = owners.map(({ owner, bytes }) => ({ owner: owner as string, bytes: bytes as number }))
    await grow(query, freed)
    return freed.reduce((sum, { bytes }) => sum - bytes, 0)
  }

  async function shrinkOwner(query: Query, owner: string, above: number, kept: readonly number[]): Promise<void> {
    for (let left = above; left > 0; ) {
      const oldest = await query(OLDEST, owner, kept, MAX_SHRUNK)
      if (oldest.length === 0) return
      const gone: Row[] = []
      for (const conversation of oldest) {
        if (left <= 0) break
        gone.push(conversation)
        left -= conversation['bytes'] as number
      }
      await forget(query, gone)
    }
  }

  return {
    grow,
    forget,
    async shrink(grown) {
      const above = new Map(
        grown.map(({ owner, owner_bytes }) => [owner as string, (owner_bytes as number) - ownerBytes]),
      )
      const kept = grown.map(({ cid }) => cid as number)
      for (const [owner, bytes] of above) {
        if (bytes > 0) await connections.inTransaction((query) => shrinkOwner(query, owner, bytes, kept))
      }
    },
    async expire() {
      if (expiry.isDue(steadySeconds())) {
        const [clock] = await connections.run((query) =>
          query('SELECT extract(epoch FROM clock_timestamp())::float8 AS now'),
        )
        expiry.look({ now: clock?.['now'] as number, steady: steadySeconds() })
      }
      const { before } = expiry
      if (before === undefined) return
      const isAll = await connections.inTransaction(async (query) => {
        const over = await query(EXPIRED, before, MAX_EXPIRED)
        await forget(query, over)
        if (over.length === MAX_EXPIRED) return false
        await query(APPROVALS, before)
        return true
      })
      if (isAll) expiry.end()
    },
  }
}
