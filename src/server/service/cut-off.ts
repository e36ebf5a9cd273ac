import type { InputItem } from '../../responses/input-items.js'

/** Whether it was cut off, and so never happened. What the model says to the user is read as far as it went. */
export function isCutOff(item: InputItem): boolean {
  const { type, status } = item as { readonly type?: string; readonly status?: string | null }
  const isOver = status === undefined || status === null || status === 'completed' || status === 'failed'
  return !isOver && type !== undefined && type !== 'message'
}
