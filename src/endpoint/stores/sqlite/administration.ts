import type { OwnersRows } from '../database/operation-types.js'
import type { Value } from './driver.js'
import type { Eviction } from './eviction.js'
import { bytesOf } from './owner-bytes.js'
import type { Statements } from './statements.js'
import type { TimedOperations } from './timed-operations.js'

type Administration = Pick<TimedOperations, 'status' | 'deleteOwner'>

/** What an operator asks of the database. */
export function createAdministration({ sql, inTransaction }: Statements, { forget }: Eviction): Administration {
  /** Returns one number of a query that has it in the column `n`. */
  function count(text: string, ...given: readonly Value[]): number {
    return (sql(text).get(...given)?.['n'] as number | null | undefined) ?? 0
  }

  return {
    status() {
      const oldest = sql('SELECT min(used) AS oldest FROM conversations').get()?.['oldest'] as number | null
      return {
        responses: count('SELECT count(*) AS n FROM responses WHERE is_deleted = 0'),
        running: count('SELECT count(*) AS n FROM responses WHERE lease_until IS NOT NULL'),
        conversations: count('SELECT count(*) AS n FROM conversations'),
        owners: count('SELECT count(DISTINCT owner) AS n FROM conversations'),
        bytes: count('SELECT sum(bytes) AS n FROM owners'),
        ...(oldest !== null && { oldest }),
        version: sql('PRAGMA user_version').get()?.['user_version'] as number,
      }
    },
    deleteOwner: (_time, owner, max) =>
      inTransaction((): OwnersRows => {
        const before = bytesOf({ sql }, owner)
        const conversations = sql('SELECT cid, owner, bytes FROM conversations WHERE owner = ? LIMIT ?').all(owner, max)
        let responses = 0
        for (const conversation of conversations) {
          const { cid } = conversation
          responses += count('SELECT count(*) AS n FROM responses WHERE cid = ? AND is_deleted = 0', cid as Value)
          forget(conversation)
        }
        const isAll = conversations.length < max
        const approvals = isAll ? count('SELECT count(*) AS n FROM approvals WHERE owner = ?', owner) : 0
        if (isAll) sql('DELETE FROM approvals WHERE owner = ?').run(owner)
        const bytes = before - bytesOf({ sql }, owner)
        return { responses, conversations: conversations.length, bytes, approvals, isAll }
      }),
  }
}
