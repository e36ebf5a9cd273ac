import type { FoundNamed, NamedTurn } from '../database/operation-types.js'
import type { Row, Value } from './driver.js'
import { countBytes } from './owner-bytes.js'
import type { Statements } from './statements.js'

/** The named conversations of the database. Called within transactions. */
export interface NamedConversations {
  mayOpen(turn: NamedTurn, owner: string): boolean
  open(turn: NamedTurn, owner: string, rid: Value): void
  /** @param joins - whether the response becomes the last one of the conversation that it is open in */
  end(rid: Value, joins: boolean): void
  /** Called when a response is deleted. */
  forget(rid: Value): void
  /** Called when a tree of responses is deleted as a whole. */
  forgetAll(cid: Value): void
  find(id: string, owner: string): { readonly found: FoundNamed; readonly cid: Value } | undefined
  update(id: string, owner: string, facts: Uint8Array): boolean
  delete(id: string, owner: string): boolean
}

const FIND = `
  SELECT facts, before.cid AS cid, before.id AS last, running.id AS open FROM named_conversations AS named
    JOIN responses AS before ON before.rid = named.last LEFT JOIN responses AS running ON running.rid = named.open
    WHERE named.owner = ? AND named.id = ?`

export function createNamedConversations({ sql }: Pick<Statements, 'sql'>): NamedConversations {
  /** Deletes conversations, and no longer counts what is kept about them. @param where - which ones */
  function end(where: string, ...given: readonly Value[]): void {
    const ended = sql(`DELETE FROM named_conversations WHERE ${where} RETURNING owner, length(facts) AS size`)
    for (const { owner, size } of ended.all(...given)) countBytes({ sql }, owner as Value, -(size as number))
  }

  /** @param rids - the responses that are no longer open */
  function close(rids: string, given: Value): void {
    end(`open IN (${rids}) AND last IS NULL`, given)
    sql(`UPDATE named_conversations SET open = NULL WHERE open IN (${rids})`).run(given)
  }

  function forget(rids: string, given: Value): void {
    end(`last IN (${rids})`, given)
    close(rids, given)
  }

  const row = (id: string, owner: string): Row | undefined => sql(FIND).get(owner, id)

  return {
    mayOpen({ conversationId, last }, owner) {
      const named = sql(
        `SELECT open, responses.id AS last FROM named_conversations AS named
           LEFT JOIN responses ON responses.rid = named.last WHERE named.owner = ? AND named.id = ?`,
      ).get(owner, conversationId)
      if (last === undefined) return named === undefined
      return named !== undefined && named['last'] === last && named['open'] === null
    },
    open({ conversationId, facts }, owner, rid) {
      if (facts === undefined) {
        sql('UPDATE named_conversations SET open = ? WHERE owner = ? AND id = ?').run(rid, owner, conversationId)
        return
      }
      sql('INSERT INTO named_conversations (owner, id, open, facts) VALUES (?, ?, ?, ?)').run(
        ...[owner, conversationId, rid, facts],
      )
      countBytes({ sql }, owner, facts.length)
    },
    end(rid, joins) {
      if (joins) sql('UPDATE named_conversations SET last = open, open = NULL WHERE open = ?').run(rid)
      else close('?', rid)
    },
    forget: (rid) => forget('?', rid),
    forgetAll: (cid) => forget('SELECT rid FROM responses WHERE cid = ?', cid),
    find(id, owner) {
      const named = row(id, owner)
      if (named === undefined) return undefined
      const { facts, cid, last, open } = named
      const found = { facts: facts as Uint8Array, last: last as string, open: (open as string | null) ?? undefined }
      return { found, cid: cid as Value }
    },
    update(id, owner, facts) {
      const named = row(id, owner)
      if (named === undefined) return false
      sql('UPDATE named_conversations SET facts = ? WHERE owner = ? AND id = ?').run(facts, owner, id)
      countBytes({ sql }, owner, facts.length - (named['facts'] as Uint8Array).length)
      return true
    },
    delete(id, owner) {
      const isThere = row(id, owner) !== undefined
      if (isThere) end('owner = ? AND id = ?', owner, id)
      return isThere
    },
  }
}
