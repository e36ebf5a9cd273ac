import { renewAfter } from '../database/expiry.js'
import { unmarked } from '../database/marked-text.js'
import type { FoundNamed } from '../database/operation-types.js'
import type { Connections } from './connections.js'
import { keyOf, nameOf } from './names.js'

const ID = 'named_conversations.owner = $2 AND named_conversations.id = $1'

const UPDATE = `
  WITH old AS MATERIALIZED (
    SELECT length(facts) AS size FROM named_conversations WHERE ${ID} AND last IS NOT NULL FOR UPDATE
  ),
  updated AS (UPDATE named_conversations SET facts = $3 FROM old WHERE ${ID}),
  owned AS (UPDATE owners SET bytes = bytes + length($3::bytea) - size FROM old WHERE owners.owner = $2)
  SELECT size FROM old`

const DELETE = `
  WITH gone AS (DELETE FROM named_conversations WHERE ${ID} AND last IS NOT NULL RETURNING length(facts) AS size),
  owned AS (UPDATE owners SET bytes = bytes - size FROM gone WHERE owners.owner = $2)
  SELECT size FROM gone`

/** The operations on named conversations. */
export interface NamedConversations {
  find(id: string, owner: string): Promise<FoundNamed | undefined>
  update(id: string, owner: string, facts: Uint8Array): Promise<boolean>
  delete(id: string, owner: string): Promise<boolean>
}

export function createNamedConversations({ run, retried }: Connections, seconds: number): NamedConversations {
  const find = `
    WITH found AS (
      SELECT facts, before.cid, before.id AS last, running.id AS open FROM named_conversations
        JOIN responses AS before ON before.rid = last LEFT JOIN responses AS running ON running.rid = open WHERE ${ID}
    ),
    used AS (
      UPDATE conversations SET used = now() FROM found
        WHERE conversations.cid = found.cid AND used < now() - make_interval(secs => ${renewAfter(seconds)})
    )
    SELECT facts, last, open FROM found`
  return {
    async find(id, owner) {
      const [found] = await run((query) => query(find, keyOf(id), nameOf(owner)))
      if (found === undefined) return undefined
      const [last, open] = [found['last'], found['open']] as [string, string | null]
      return {
        facts: found['facts'] as Uint8Array,
        last: unmarked(last),
        open: open === null ? undefined : unmarked(open),
      }
    },
    update: async (id, owner, facts) =>
      (await retried((query) => query(UPDATE, keyOf(id), nameOf(owner), facts))).length > 0,
    delete: async (id, owner) => (await retried((query) => query(DELETE, keyOf(id), nameOf(owner)))).length > 0,
  }
}
