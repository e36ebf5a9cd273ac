import { readWindow } from './compacted-window.js'
import type { Fields } from './fields.js'

/**
 * Which items the model is to read. The latest compaction that was made while a response went on holds all that stands in
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
  if (window === -1) return () => true
  const answered = new Set(items.slice(window + 1).flatMap(answeredBy))
  return (index) => {
    const item = items[index]
    if (index >= window || item === undefined) return true
    return (
      isInstruction(item) ||
      (item['type'] === 'mcp_approval_request' ? answered.has(item['id']) : isCallOf(item, answered))
    )
  }
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
