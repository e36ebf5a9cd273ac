import type { InputItem } from '../../../../core/responses/input-items.js'

/** Whether an item was cut off and is dropped. A partial message to the user is kept. */
export function isCutOff(item: InputItem): boolean {
  const { type, status } = item as { readonly type?: string; readonly status?: string | null }
  const isOver = status === undefined || status === null || status === 'completed' || status === 'failed'
  return !isOver && type !== undefined && type !== 'message'
}
