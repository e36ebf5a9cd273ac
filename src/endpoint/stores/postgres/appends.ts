import { marked } from '../database/marked-text.js'
import type { AppendedRow, AppendRow } from '../database/operation-types.js'
import { partsOf } from '../database/packed-parts.js'
import type { AppendResult } from '../store.js'
import { apart, bytesOf, isThere, joined, sizeOf } from './blobs.js'
import type { Connections, Row, Value } from './connections.js'
import type { Eviction } from './eviction.js'
import { keyOf, nameOf } from './names.js'
import { beforeOf, rowOf } from './rows.js'

/*
 * Appends to many responses are one statement. Their rows are locked in one order, or two processes would wait for each
 * other; and they are compared as they are once they are locked: an append that another process was faster than is refused.
 */

/** The rows of `given`, locked. @param condition - what has to be locked before */
const locked = (condition = 'true'): string => `
  locked AS MATERIALIZED (
    SELECT responses.rid, responses.epoch, responses.count, given.nth FROM given JOIN responses USING (id)
      WHERE responses.owner = given.owner AND is_running AND ${condition} ORDER BY rid FOR NO KEY UPDATE OF responses
  )`

/** Whether the writer of a row of `given` has the lease, and knows how many entries there are. */
const FENCE = 'responses.rid = locked.rid AND locked.epoch = given.epoch AND locked.count = at'

/** Why an append was refused, and that whoever follows the responses is woken, in another process. */
const refusals = (done: string): string => `
  locked.epoch = given.epoch AS is_held, locked.count,
  (SELECT pg_notify(current_schema, '') FROM ${done} WHERE is_followed LIMIT 1)`

const APPEND = `
  WITH given AS (${apart(
    `SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::bigint[], $5::bigint[], $6::integer[],
       $7::double precision[]) WITH ORDINALITY AS given (id, owner, epoch, at, added, size, seconds, nth)`,
    '$8',
  )}),
  ${locked()},
  written AS (
    UPDATE responses SET
        count = responses.count + added, entry_bytes = entry_bytes + size,
        lease_until = clock_timestamp() + make_interval(secs => seconds)
      FROM given JOIN locked USING (nth) WHERE ${FENCE}
      RETURNING responses.rid, is_followed, nth, at, added, size, content
  ),
  inserted AS (
    INSERT INTO entries (rid, at, count, bytes) SELECT rid, at, added, content FROM written WHERE added > 0
  )
  SELECT written.rid, ${refusals('written')}
    FROM given LEFT JOIN locked USING (nth) LEFT JOIN written USING (nth) ORDER BY nth`

/**
 * Ends responses. A block with all entries replaces the others: it is written over the first one, since one statement cannot
 * delete a row and insert it again.
 */
const END = `
  WITH given AS (
    SELECT heads.*, blocks.content AS block FROM (${apart(
      `SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::bigint[], $5::bigint[], $6::integer[],
         $7::boolean[], $8::integer[], $9::bigint[], $10::boolean[], $18::boolean[]) WITH ORDINALITY
         AS given (id, owner, epoch, at, added, block_size, is_whole, size, items_size, frees_key, joins, nth)`,
      '$11',
    )}) AS heads JOIN (${apart(
      'SELECT * FROM unnest($6::integer[]) WITH ORDINALITY AS given (size, nth)',
      '$12',
    )}) AS blocks USING (nth)
  ),
  kept AS MATERIALIZED (
    SELECT cid FROM conversations WHERE cid IN (SELECT cid FROM responses WHERE id = ANY($1::text[]))
      ORDER BY cid FOR UPDATE
  ),
  ${locked('(SELECT count(*) FROM kept) > 0')},
  ended AS (
    UPDATE responses SET
        head = content, bytes = size + items_size, is_running = false, lease_until = NULL,
        count = CASE WHEN is_whole THEN 0 ELSE responses.count END + added,
        entry_bytes = CASE WHEN is_whole THEN 0 ELSE entry_bytes END + block_size,
        has_entries = NOT is_whole OR added > 0,
        key = CASE WHEN frees_key THEN NULL ELSE key END, digest = CASE WHEN frees_key THEN NULL ELSE digest END
      FROM given JOIN locked USING (nth) WHERE ${FENCE}
      RETURNING responses.rid, responses.id, stamp, previous, cid, responses.owner, is_followed,
        responses.bytes + entry_bytes AS whole, nth, CASE WHEN is_whole THEN 0 ELSE at END AS at, is_whole, added, block, joins
  ),
  moved AS (
    UPDATE named_conversations SET last = CASE WHEN joins THEN open ELSE last END, open = NULL
      FROM ended WHERE open = ended.rid AND (joins OR last IS NOT NULL)
  ),
  unnamed AS (
    DELETE FROM named_conversations USING ended WHERE open = ended.rid AND NOT joins AND last IS NULL
      RETURNING named_conversations.owner, length(facts) AS size
  ),
  dropped AS (
    DELETE FROM entries USING ended WHERE entries.rid = ended.rid AND is_whole AND (entries.at > 0 OR added = 0)
  ),
  inserted AS (
    INSERT INTO entries (rid, at, count, bytes) SELECT rid, at, added, block FROM ended WHERE added > 0
      ON CONFLICT (rid, at) DO UPDATE SET count = excluded.count, bytes = excluded.bytes
  ),
  items AS (
    INSERT INTO parts (rid, owner, item_id, is_output, bytes)
      SELECT ended.rid, ended.owner, item_id, is_output, content FROM (${apart(
        `SELECT * FROM unnest($13::bigint[], $14::text[], $15::boolean[], $16::integer[])
           WITH ORDINALITY AS given (of, item_id, is_output, size, nth)`,
        '$17',
      )}) AS items JOIN ended ON ended.nth = items.of ORDER BY items.nth
  ),
  grown AS (
    UPDATE conversations SET running = running - ends, used = greatest(used, now()), bytes = bytes + whole
      FROM (SELECT cid, count(*) AS ends, sum(whole) AS whole FROM ended GROUP BY cid) AS ends
      WHERE conversations.cid = ends.cid
  ),
  owned AS (
    INSERT INTO owners (owner, bytes)
      SELECT owner, sum(bytes)
        FROM (SELECT owner, whole AS bytes FROM ended UNION ALL SELECT owner, -size FROM unnamed) AS counted
        GROUP BY owner ORDER BY owner
      ON CONFLICT (owner) DO UPDATE SET bytes = owners.bytes + excluded.bytes RETURNING owner, bytes
  )
  SELECT ended.rid, ended.id, ended.stamp, ended.cid, owned.owner, owned.bytes AS owner_bytes,
      before.rid AS before_rid, before.id AS before_id, before.stamp AS before_stamp, ${refusals('ended')}
    FROM given LEFT JOIN locked USING (nth) LEFT JOIN ended USING (nth) LEFT JOIN owned ON owned.owner = ended.owner
      LEFT JOIN responses AS before ON before.rid = ended.previous
    ORDER BY nth`

/** Returns what appends: rows that all end their responses, or of which none does. */
export function createAppends(
  connections: Connections,
  eviction: Eviction,
): (rows: readonly AppendRow[]) => Promise<readonly AppendedRow[]> {
  const query = (text: string, values: readonly Value[]): Promise<readonly Row[]> =>
    connections.retried((run) => run(text, ...values))

  return async (rows) => {
    if (rows.every(({ end }) => end === undefined)) return (await query(APPEND, appendValues(rows))).map(appendedOf)
    const ended = await query(END, endValues(rows))
    await eviction.shrink(ended.filter(({ owner }) => owner !== null))
    return ended.map((row) => {
      const appended = appendedOf(row)
      return row['rid'] === null ? appended : { ...appended, ended: { row: rowOf(row), previous: beforeOf(row) } }
    })
  }
}

function appendedOf({ rid, is_held, count }: Row): { readonly appended: AppendResult } {
  if (rid !== null) return { appended: { state: 'written' } }
  return { appended: is_held === true ? { state: 'behind', count: count as number } : { state: 'lost' } }
}

/** Who writes, and where. */
function writers(rows: readonly AppendRow[]): readonly Value[] {
  return [
    rows.map(({ lease }) => marked(lease.responseId)),
    rows.map(({ lease }) => nameOf(lease.owner)),
    rows.map(({ lease }) => lease.epoch),
    rows.map(({ at }) => at),
  ]
}

function appendValues(rows: readonly AppendRow[]): readonly Value[] {
  const blocks = rows.map(({ entries }) => bytesOf(entries))
  return [
    ...writers(rows),
    rows.map(({ entries }) => entries?.count ?? 0),
    blocks.map(sizeOf),
    rows.map(({ leaseSeconds }) => leaseSeconds),
    joined(blocks.filter(isThere)),
  ]
}

function endValues(rows: readonly AppendRow[]): readonly Value[] {
  const ends = rows.flatMap(({ entries, end }) => (end === undefined ? [] : [{ ...end, last: entries }]))
  const blocks = ends.map(({ entries, last }) => entries ?? last)
  const bytes = blocks.map(bytesOf)
  const items = ends.flatMap(({ became }, at) => [...partsOf(became.parts)].map((item) => ({ of: at + 1, ...item })))
  return [
    ...writers(rows),
    blocks.map((block) => block?.count ?? 0),
    bytes.map(sizeOf),
    ends.map(({ entries }) => entries !== undefined),
    ends.map(({ became }) => became.head.length),
    ends.map(({ became }) => became.parts.bytes.length),
    ends.map(({ freesKey }) => freesKey),
    joined(ends.map(({ became }) => became.head)),
    joined(bytes.filter(isThere)),
    items.map(({ of }) => of),
    items.map(({ itemId }) => (itemId === null ? null : keyOf(itemId))),
    items.map(({ isOutput }) => isOutput),
    items.map((item) => item.bytes.length),
    joined(ends.map(({ became }) => became.parts.bytes)),
    ends.map(({ joins }) => joins),
  ]
}
