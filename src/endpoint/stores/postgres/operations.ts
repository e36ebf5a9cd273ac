import { renewAfter } from '../database/expiry.js'
import type { Turn } from '../database/fair-queue.js'
import type { Lanes } from '../database/lanes.js'
import { unmarked } from '../database/marked-text.js'
import type {
  AppendedRow,
  AppendRow,
  Call,
  FoundBlocks,
  LaterOperations,
  Operations,
} from '../database/operation-types.js'
import { PAGE_BYTES, PAGE_ROWS } from '../database/page.js'
import type { StoredBlock } from '../store.js'
import { createAdministration } from './administration.js'
import { createAppends } from './appends.js'
import { consume } from './approvals.js'
import type { Connections, Row } from './connections.js'
import { remove } from './deletion.js'
import { type Bounds, createEviction } from './eviction.js'
import { Undone } from './failures.js'
import { createNamedConversations } from './named-conversations.js'
import { keyOf, nameOf } from './names.js'
import { findKey, open } from './openings.js'
import { becameOf, beforeOf, itemsOf, rowOf } from './rows.js'

const OWN = 'id = $1 AND owner = $2 AND NOT is_deleted'

const CLAIM = `
  UPDATE responses SET epoch = epoch + 1, lease_until = clock_timestamp() + make_interval(secs => $3)
    WHERE id = $1 AND owner = $2 AND is_running AND ($4::boolean OR lease_until <= clock_timestamp())
    RETURNING epoch, count`

const EXPIRED = `
  SELECT id, owner FROM responses WHERE is_running AND lease_until <= clock_timestamp() ORDER BY lease_until LIMIT $1`

const FOLLOW = 'UPDATE responses SET is_followed = true WHERE id = $1 AND owner = $2 AND is_running AND NOT is_followed'

/** The tip is there as long as everything that it continues is. */
const CLIMB = `
  WITH RECURSIVE chain AS (
    SELECT rid, id, stamp, head, previous, bytes AS total, 1 AS nth FROM responses
      WHERE rid = $1 AND EXISTS (SELECT FROM responses AS tip WHERE tip.rid = $2 AND tip.stamp = $3)
    UNION ALL
    SELECT responses.rid, responses.id, responses.stamp, responses.head, responses.previous, total + bytes, nth + 1
      FROM chain JOIN responses ON responses.rid = chain.previous WHERE nth < $4 AND total < ${PAGE_BYTES}
  )
  SELECT chain.rid, chain.id, chain.stamp, chain.head, parts.*,
      before.rid AS before_rid, before.id AS before_id, before.stamp AS before_stamp
    FROM chain LEFT JOIN responses AS before ON before.rid = chain.previous
      CROSS JOIN LATERAL (${itemsOf('chain.rid')}) AS parts
    ORDER BY nth`

const BLOCKS = `
  SELECT at, count, bytes FROM (
      SELECT at, count, bytes, sum(length(bytes)) OVER (ORDER BY at) - length(bytes) AS before FROM entries
        WHERE rid = $1 AND at >= coalesce((SELECT max(at) FROM entries WHERE rid = $1 AND at <= $2), 0)
          AND at + count > $2
        ORDER BY at LIMIT ${PAGE_ROWS}
    ) AS blocks
    WHERE before < ${PAGE_BYTES} ORDER BY at`

/** Queries that mark a conversation as used, unless that was done lately. */
function usingQueries(seconds: number) {
  const used = `
    used AS (
      UPDATE conversations SET used = now() FROM found
        WHERE conversations.cid = found.cid AND used < now() - make_interval(secs => ${renewAfter(seconds)})
    )`
  return {
    find: `
      WITH found AS (SELECT rid, id, cid, stamp, is_running, head FROM responses WHERE ${OWN}), ${used}
      SELECT rid, id, stamp, is_running, CASE WHEN stamp IS DISTINCT FROM $3::uuid THEN head END AS head, parts.*
        FROM found CROSS JOIN LATERAL (${itemsOf('found.rid')} AND stamp IS DISTINCT FROM $3::uuid) AS parts`,
    lineage: `
      WITH found AS (SELECT rid, id, cid, stamp, is_running, previous FROM responses WHERE ${OWN}), ${used}
      SELECT found.*, before.rid AS before_rid, before.id AS before_id, before.stamp AS before_stamp
        FROM found LEFT JOIN responses AS before ON before.rid = found.previous`,
    entries: `
      WITH found AS (SELECT rid, cid, is_running, is_followed FROM responses WHERE ${OWN} AND has_entries), ${used},
      blocks AS (${BLOCKS.replaceAll('$1', '(SELECT rid FROM found)').replaceAll('$2', '$3::bigint')})
      SELECT is_running, is_followed, at, count, bytes FROM found LEFT JOIN blocks ON true ORDER BY at`,
    findItem: `
      WITH found AS (
        SELECT responses.id, cid FROM parts JOIN responses USING (rid) WHERE parts.owner = $2 AND item_id = $1
          ORDER BY seq DESC LIMIT 1
      ), ${used}
      SELECT id, given.* FROM found CROSS JOIN (
        SELECT is_output OR genuine IS NOT NULL AS is_given, coalesce(genuine, bytes) AS bytes FROM parts
          WHERE owner = $2 AND item_id = $1 ORDER BY is_output OR genuine IS NOT NULL DESC, seq LIMIT 1
      ) AS given`,
  }
}

/** Returns the operations of the store, each in one step, on the connections that the lanes have. */
export function createCall(connections: Connections, lanes: Lanes, bounds: Bounds): Call {
  const operations = createOperations(connections, bounds)
  return async <Name extends keyof Operations>(turn: Turn, name: Name, ...given: Parameters<Operations[Name]>) => {
    if (name === 'append') {
      const rows = given[0] as readonly AppendRow[]
      return (await appendApart(rows, (some) => lanes.run(turn, () => operations.append(some)))) as ReturnType<
        Operations[Name]
      >
    }
    return await lanes.run(turn, () => operations[name](...given))
  }
}

/** What ends responses takes longer: the other appends do not wait for it. */
async function appendApart(
  rows: readonly AppendRow[],
  append: (rows: readonly AppendRow[]) => Promise<readonly AppendedRow[]>,
): Promise<readonly AppendedRow[]> {
  const isEnd = ({ end }: AppendRow): boolean => end !== undefined
  const [ends, others] = [rows.filter(isEnd), rows.filter((row) => !isEnd(row))]
  const [ended, written] = await Promise.all([ends, others].map((some) => (some.length === 0 ? [] : append(some))))
  const [ofEnds, ofOthers] = [(ended ?? [])[Symbol.iterator](), (written ?? [])[Symbol.iterator]()]
  return rows.map((row) => (isEnd(row) ? ofEnds : ofOthers).next().value as AppendedRow)
}

function createOperations(connections: Connections, bounds: Bounds): LaterOperations {
  const { run, inTransaction } = connections
  const eviction = createEviction(connections, bounds)
  const appends = createAppends(connections, eviction)
  const using = usingQueries(bounds.seconds)
  const named = createNamedConversations(connections, bounds.seconds)

  async function readEntries(responseId: string, owner: string, from: number): Promise<readonly Row[]> {
    return await run((query) => query(using.entries, keyOf(responseId), nameOf(owner), from))
  }

  return {
    ...createAdministration(connections, eviction),
    async open(response) {
      await eviction.expire()
      return await open(connections, response)
    },
    append: (rows) => appends(rows),
    async claim({ responseId, owner, leaseSeconds, isForced = false }) {
      const [claimed] = await run((query) => query(CLAIM, keyOf(responseId), nameOf(owner), leaseSeconds, isForced))
      if (claimed === undefined) return undefined
      const { epoch, count } = claimed
      return { lease: { responseId, owner, epoch: epoch as number }, count: count as number }
    },
    async expired(max) {
      // A server that nobody asks deletes, too: it looks for dead processes all the time.
      await eviction.expire()
      const rows = await run((query) => query(EXPIRED, max))
      return rows.map(({ id, owner }) => ({ responseId: unmarked(id as string), owner: unmarked(owner as string) }))
    },
    async find(responseId, owner, known) {
      const names = [keyOf(responseId), nameOf(owner)] as const
      const [found] = await run((query) => query(using.find, ...names, known ?? null))
      if (found === undefined) return undefined
      if (found['is_running'] === true) return { state: 'running' }
      const row = rowOf(found)
      return { state: 'finished', row, content: row.stamp === known ? undefined : becameOf(found) }
    },
    async lineage(responseId, owner) {
      const [found] = await run((query) => query(using.lineage, keyOf(responseId), nameOf(owner)))
      if (found === undefined) return undefined
      const tip = rowOf(found)
      if (found['is_running'] !== true) return { state: 'finished', tip, last: tip }
      return { state: 'running', tip, last: beforeOf(found) }
    },
    async climb(tip, from, max) {
      const rows = await run((query) => query(CLIMB, from, tip.rid, tip.stamp, max))
      const last = rows.at(-1)
      return last && { rows: rows.map((row) => ({ ...rowOf(row), ...becameOf(row) })), next: beforeOf(last) }
    },
    async findItem(itemId, owner) {
      const [found] = await run((query) => query(using.findItem, keyOf(itemId), nameOf(owner)))
      if (found === undefined) return undefined
      const { id, is_given, bytes } = found
      return { responseId: unmarked(id as string), isOutput: is_given === true, bytes: bytes as Uint8Array }
    },
    findKey: (key, owner) => run((query) => findKey(query, key, owner)),
    async entries(responseId, owner, from) {
      let rows = await readEntries(responseId, owner, from)
      const [first] = rows
      if (first?.['is_running'] === true && first['is_followed'] === false) {
        // Appends notify from now on. What was appended before is there.
        await run((query) => query(FOLLOW, keyOf(responseId), nameOf(owner)))
        rows = await readEntries(responseId, owner, from)
      }
      return blocksOf(rows)
    },
    delete: (responseId, owner) => inTransaction((query) => remove(query, eviction, responseId, owner)),
    consumeApprovals: (ids, owner) =>
      inTransaction(async (query) => {
        if (!(await consume(query, ids, owner))) throw new Undone(false)
        return true
      }),
    findNamed: named.find,
    updateNamed: named.update,
    deleteNamed: named.delete,
  }
}

function blocksOf(rows: readonly Row[]): FoundBlocks | undefined {
  const [first] = rows
  if (first === undefined) return undefined
  const blocks = rows
    .filter(({ at }) => at !== null)
    .map(({ at, count, bytes }): StoredBlock => {
      return { at: at as number, count: count as number, bytes: bytes as Uint8Array }
    })
  const size = blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return { blocks, isAll: blocks.length < PAGE_ROWS && size < PAGE_BYTES, isOver: first['is_running'] !== true }
}
