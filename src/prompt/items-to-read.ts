import type { Fields } from '../fields.js'
import { readWindow } from './compacted-window.js'

/**
 * Which items the model is to read. A call of the client's that was cut off, and that it does not answer, never happened. The
 * latest compaction that was made while a response went on holds all that stands in
 * front of it, but for instructions, which no compaction holds, and calls that are answered behind it. Other compactions
 * stand for what their clients left out, and hold nothing else.
 */
export function itemsToRead(
  items: readonly Fields[],
  unsealed: (blob: string) => string | undefined,
): (index: number) => boolean {
  const window = items.findLastIndex(({ type, encrypted_content: sealed }) => {
    const text = type === 'compaction' && typeof sealed === 'string' ? unsealed(sealed) : undefined
    return text !== undefined && readWindow(text) !== undefined
  })
  const answers = new Set(items.flatMap(answeredBy))
  const answered = new Set(items.slice(window + 1).flatMap(answeredBy))
  return (index) => {
    const item = items[index]
    if (item === undefined) return true
    if (isCutOff(item) && !answers.has(item['call_id'])) return false
    if (index >= window) return true
    return (
      isInstruction(item) ||
      (item['type'] === 'mcp_approval_request' ? answered.has(item['id']) : isCallOf(item, answered))
    )
  }
}

function isCutOff({ type, status, call_id: id }: Fields): boolean {
  // The API has no `incomplete` for a patch.
  const isOver = type === 'apply_patch_call' ? status !== 'in_progress' : status !== 'incomplete'
  return !isOver && id !== undefined && isText(type) && type.endsWith('_call')
}

function isInstruction({ type = 'message', role }: Fields): boolean {
  return type === 'message' && (role === 'system' || role === 'developer')
}

function isCallOf({ type, call_id: id }: Fields, answered: ReadonlySet<unknown>): boolean {
  return isText(type) && type.endsWith('_call') && id !== undefined && answered.has(id)
}

/** What an item answers: a call, or the request for its approval. */
function answeredBy({ type, call_id: call, approval_request_id: approval }: Fields): unknown[] {
  if (type === 'mcp_approval_response') return [approval]
  return isText(type) && type.endsWith('_call_output') ? [call] : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
