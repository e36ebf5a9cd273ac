import type { Query } from './connections.js'
import type { Eviction } from './eviction.js'
import { keyOf, nameOf } from './names.js'

const LOCK = `
  SELECT 1 FROM conversations WHERE cid =
    (SELECT cid FROM responses WHERE id = $1 AND owner = $2 AND NOT is_deleted) FOR UPDATE`

const FIND = `
  SELECT rid, cid, is_running, entry_bytes FROM responses WHERE id = $1 AND owner = $2 AND NOT is_deleted FOR UPDATE`

/** Another response has a copy of an item: a response's own one takes precedence over a client's. */
const GIVE = `
  UPDATE parts SET genuine = given.content FROM (
      SELECT item_id, coalesce(genuine, bytes) AS content FROM parts
        WHERE rid = $1 AND item_id IS NOT NULL AND (is_output OR genuine IS NOT NULL)
    ) AS given
    WHERE NOT is_output AND seq = (
      SELECT max(seq) FROM parts AS other WHERE owner = $2 AND other.item_id = given.item_id AND rid <> $1
    )`

/** Hides a deleted response, which stays only as a part of its conversation. */
const HIDE = `
  WITH dropped AS (DELETE FROM entries WHERE rid = $1),
  nameless AS (UPDATE parts SET item_id = NULL WHERE rid = $1),
  shrunk AS (
    UPDATE conversations SET bytes = bytes - $3, running = running - $4::integer WHERE cid = $2
  )
  UPDATE responses SET
      is_deleted = true, has_entries = false, entry_bytes = 0, is_running = false, lease_until = NULL, key = NULL,
      digest = NULL
    WHERE rid = $1
    RETURNING pg_notify(current_schema, '')`

/** A conversation ends with its last response, and is free once the one that was open in it is deleted. */
const UNNAME = `
  WITH ended AS (
    DELETE FROM named_conversations WHERE last = $1 OR (open = $1 AND last IS NULL) RETURNING length(facts) AS size
  ),
  freed AS (UPDATE named_conversations SET open = NULL WHERE open = $1 AND last IS NOT NULL)
  SELECT coalesce(sum(size), 0)::bigint AS bytes FROM ended`

/**
 * Evicts a deleted response without continuations, and each predecessor that is deleted and has no other continuation; and
 * their conversation, if nothing else is in it.
 */
const PRUNE = `
  WITH RECURSIVE gone AS (
    SELECT rid, previous, bytes FROM responses WHERE rid = $1 AND is_deleted AND children = 0
    UNION ALL
    SELECT responses.rid, responses.previous, responses.bytes FROM gone JOIN responses ON responses.rid = gone.previous
      WHERE is_deleted AND children = 1
  ),
  nothing AS (DELETE FROM parts WHERE rid IN (SELECT rid FROM gone)),
  evicted AS (DELETE FROM responses WHERE rid IN (SELECT rid FROM gone)),
  left_alone AS (
    UPDATE responses SET children = children - 1 FROM gone
      WHERE responses.rid = gone.previous AND NOT EXISTS (SELECT FROM gone AS other WHERE other.rid = gone.previous)
  ),
  empty AS (
    DELETE FROM conversations WHERE cid = $2
      AND NOT EXISTS (SELECT FROM responses WHERE cid = $2 AND rid NOT IN (SELECT rid FROM gone)) RETURNING cid
  ),
  shrunk AS (
    UPDATE conversations SET bytes = bytes - (SELECT coalesce(sum(bytes), 0) FROM gone)
      WHERE cid = $2 AND NOT EXISTS (SELECT FROM empty)
  )
  SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM gone`

/** Deletes a response for its owner. Returns whether it existed. */
export async function remove(query: Query, { grow }: Eviction, responseId: string, owner: string): Promise<boolean> {
  const names = [keyOf(responseId), nameOf(owner)] as const
  await query(LOCK, ...names)
  const [response] = await query(FIND, ...names)
  if (response === undefined) return false
  const [rid, cid] = [response['rid'] as number, response['cid'] as number]
  const isRunning = response['is_running'] === true
  // Entries of one that runs are not counted yet.
  const bytes = isRunning ? 0 : (response['entry_bytes'] as number)
  await query(GIVE, rid, names[1])
  await query(HIDE, rid, cid, bytes, isRunning ? 1 : 0)
  const [unnamed] = await query(UNNAME, rid)
  const [pruned] = await query(PRUNE, rid, cid)
  const gone = bytes + (unnamed?.['bytes'] as number) + (pruned?.['bytes'] as number)
  await grow(query, [{ owner: names[1], bytes: -gone }])
  return true
}
