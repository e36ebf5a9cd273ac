import type { OwnersRows } from '../database/operation-types.js'
import type { StoreStatus } from '../database/store-status.js'
import type { Connections } from './connections.js'
import type { Eviction } from './eviction.js'
import { nameOf } from './names.js'

const STATUS = `
  SELECT
    (SELECT count(*) FROM responses WHERE NOT is_deleted) AS responses,
    (SELECT count(*) FROM responses WHERE is_running) AS running,
    count(*) AS conversations, count(DISTINCT owner) AS owners,
    (SELECT coalesce(sum(bytes), 0)::bigint FROM owners) AS bytes,
    extract(epoch FROM min(used))::float8 AS oldest, (SELECT version FROM store_version) AS version
  FROM conversations`

const CONVERSATIONS = 'SELECT cid FROM conversations WHERE owner = $1 ORDER BY cid LIMIT $2 FOR UPDATE'
const COUNT = 'SELECT count(*) AS n FROM responses WHERE cid = ANY($1::bigint[]) AND NOT is_deleted'
const APPROVALS = `
  WITH gone AS (DELETE FROM approvals WHERE owner = $1 RETURNING 1) SELECT count(*) AS n FROM gone`
/** Readers of running responses learn that these are gone. */
const WAKE = "SELECT pg_notify(current_schema, '')"

/** What an operator asks of the database. */
export interface Administration {
  status(): Promise<StoreStatus>
  deleteOwner(owner: string, max: number): Promise<OwnersRows>
}

export function createAdministration({ run, inTransaction }: Connections, { forget }: Eviction): Administration {
  return {
    async status() {
      const [found = {}] = await run((query) => query(STATUS))
      const number = (name: string): number => Number(found[name])
      return {
        responses: number('responses'),
        running: number('running'),
        conversations: number('conversations'),
        owners: number('owners'),
        bytes: number('bytes'),
        ...(found['oldest'] !== null && { oldest: number('oldest') }),
        version: number('version'),
      }
    },
    deleteOwner: (owner, max) =>
      inTransaction(async (query) => {
        const name = nameOf(owner)
        const conversations = await query(CONVERSATIONS, name, max)
        const [counted] = await query(
          COUNT,
          conversations.map(({ cid }) => cid as number),
        )
        const isAll = conversations.length < max
        const [approvals] = isAll ? await query(APPROVALS, name) : []
        await query(WAKE)
        // The last step: owners are shared.
        const bytes = await forget(query, conversations)
        return {
          responses: Number(counted?.['n'] ?? 0),
          conversations: conversations.length,
          bytes,
          approvals: Number(approvals?.['n'] ?? 0),
          isAll,
        }
      }),
  }
}
