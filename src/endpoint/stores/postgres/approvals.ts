import type { Query } from './connections.js'
import { keyOf, nameOf } from './names.js'

const CONSUME = `
  INSERT INTO approvals (owner, id, used) SELECT $1, id, now() FROM unnest($2::text[]) AS given (id) ORDER BY id
    ON CONFLICT DO NOTHING RETURNING 1`

/** Consumes approvals. Returns whether all of them were free: if not, what it has done has to be undone. */
export async function consume(query: Query, ids: readonly string[], owner: string): Promise<boolean> {
  const keys = [...new Set(ids.map(keyOf))]
  return keys.length === 0 || (await query(CONSUME, nameOf(owner), keys)).length === keys.length
}
