import { randomBytes } from 'node:crypto'
import { marked } from '../database/marked-text.js'
import type { NewRow } from '../database/operation-types.js'
import type { KeyedResponse, OpenResult } from '../store.js'
import type { Connections, Reply } from './connections.js'
import { listOf, nameOf, textOf } from './replies.js'
import { OPEN } from './scripts/opening.js'

/** Bytes of a stamp, which no other row has had. */
const STAMP = 12
const NOTHING = new Uint8Array()

/** Opens a response, with all that is written in the same step. */
export async function open({ run }: Connections, response: NewRow): Promise<OpenResult> {
  const { responseId, owner, previous, entries, approvals = [], key, leaseSeconds, turn } = response
  const given = {
    ...{ id: marked(responseId), owner: marked(owner), stamp: randomBytes(STAMP).toString('base64') },
    ...(previous !== undefined && { previous: marked(previous) }),
    ...(key && { key: marked(key.key), digest: marked(key.digest) }),
    ...{ approvals: approvals.map(marked), seconds: leaseSeconds, count: entries.count },
    turn: turn && { id: marked(turn.conversationId), last: turn.last === undefined ? undefined : marked(turn.last) },
  }
  const block = entries.count > 0 ? entries.bytes : NOTHING
  const [state, ...by] = listOf(await run(OPEN, given, [block, turn?.facts ?? NOTHING]))
  const name = textOf(state)
  if (name === 'opened') return { state: name, lease: { responseId, owner, epoch: 1 } }
  if (name === 'key_taken') return { state: name, by: keyedResponseOf(key?.key ?? '', by) }
  // The script's other answers.
  return { state: name as 'exists' | 'no_previous' | 'moved' | 'consumed' }
}

/** @param found - the id of the response and the digest of its request */
export function keyedResponseOf(key: string, [id, digest]: readonly Reply[]): KeyedResponse {
  return { key, digest: nameOf(digest), responseId: nameOf(id) }
}
