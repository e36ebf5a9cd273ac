import { DECLARING } from '../../core/recipients/conversation-tools.js'
import type { Fields } from '../../shared/fields.js'
import { onePass, type Slices, type Work } from '../../shared/slices.js'
import { readWindow } from './compacted-window.js'

/**
 * Returns the items that the model is to read. A call to the client that was cut off and has no output is dropped. The
 * latest compaction made during a response replaces all items before it, except instructions, which no compaction
 * contains, and calls that are answered after it. Other compactions only stand in for items that their clients left
 * out.
 */
export function* itemsToRead(
  items: readonly Fields[],
  unsealed: (blob: string) => string | undefined,
  work: Work,
): Slices<(index: number) => boolean> {
  const window = items.findLastIndex(({ type, encrypted_content: sealed }) => {
    const text = type === 'compaction' && typeof sealed === 'string' ? unsealed(sealed) : undefined
    return text !== undefined && readWindow(text) !== undefined
  })
  yield* onePass(items, work)
  /** The ids that any item answers, and that an item after the window does. */
  const answers = new Set<unknown>()
  const answered = window < 0 ? answers : new Set<unknown>()
  for (let index = 0; index < items.length; index++) {
    const id = answeredBy(items[index] as Fields)
    if (id !== undefined) answers.add(id)
    if (id !== undefined && index > window) answered.add(id)
    work.left -= 1
    if (work.left <= 0) yield* work.pause()
  }
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

/** Whether an item instructs the model: a message, a declaration of tools, or a setting. */
export function isInstruction({ type, role }: Fields): boolean {
  if (DECLARING.has(type) || type === 'configuration_update') return true
  return (type ?? 'message') === 'message' && (role === 'system' || role === 'developer')
}

function isCallOf({ type, call_id: id }: Fields, answered: ReadonlySet<unknown>): boolean {
  return isText(type) && type.endsWith('_call') && id !== undefined && answered.has(id)
}

/** Returns the id that an item answers, if it does: of a call, or of the request for its approval. */
function answeredBy({ type, call_id: call, approval_request_id: approval }: Fields): unknown {
  if (type === 'mcp_approval_response') return approval
  return isText(type) && type.endsWith('_call_output') ? call : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
