import { marked } from '../database/marked-text.js'
import type { AppendedRow, AppendRow } from '../database/operation-types.js'
import type { Connections, Reply } from './connections.js'
import { listOf, placesOf, rowOf, textOf } from './replies.js'
import { APPEND } from './scripts/appending.js'

/** A conversation that has grown, and how large all of its owner's are. */
export interface ExtendedConversation {
  readonly cid: string
  readonly owner: string
  readonly ownerBytes: number
}

const NOTHING = new Uint8Array()

/** Appends in one step. Returns the results, and what has grown with the ends. */
export async function append(
  { run }: Connections,
  rows: readonly AppendRow[],
): Promise<{ readonly appended: readonly AppendedRow[]; readonly grown: readonly ExtendedConversation[] }> {
  const contents: Uint8Array[] = []
  const given = rows.map(({ lease, at, entries, end, leaseSeconds }) => {
    const block = end?.entries ?? entries
    contents.push(block !== undefined && block.count > 0 ? block.bytes : NOTHING)
    if (end !== undefined) {
      const { head, parts } = end.became
      contents.push(head, parts.bytes, Buffer.from(placesOf(parts, marked)))
    }
    return {
      ...{ id: marked(lease.responseId), owner: marked(lease.owner), epoch: lease.epoch },
      ...{ at, count: block?.count ?? 0, seconds: leaseSeconds },
      ends: end && { isWhole: end.entries !== undefined, freesKey: end.freesKey, joins: end.joins },
    }
  })
  const results = listOf(await run(APPEND, { rows: given }, contents)).map(listOf)
  const grown = results.flatMap(([, cid, ownerBytes], at): ExtendedConversation[] => {
    const owner = rows[at]?.lease.owner
    if (owner === undefined || rows[at]?.end === undefined || ownerBytes === undefined) return []
    return [{ cid: textOf(cid), owner, ownerBytes: ownerBytes === null ? 0 : Number(textOf(ownerBytes)) }]
  })
  return { appended: results.map(appendedOf), grown }
}

function appendedOf([state, count, , row, previous]: readonly Reply[]): AppendedRow {
  const name = textOf(state)
  if (name === 'behind') return { appended: { state: 'behind', count: count as number } }
  if (name === 'lost') return { appended: { state: 'lost' } }
  const ended = rowOf(row)
  const written = { appended: { state: 'written' } as const }
  return ended === undefined ? written : { ...written, ended: { row: ended, previous: rowOf(previous) } }
}
