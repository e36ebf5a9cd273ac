import { readWindow } from './compacted-window.js'
import type { Fields } from './fields.js'

/**
 * Where the conversation begins for the model: the index of the latest compaction that was made while a response went
 * on, which holds all that came before. 0 if there is none: other compactions stand for what their clients left out.
 */
export function latestWindow(items: readonly Fields[], unsealed: (blob: string) => string | undefined): number {
  const latest = items.findLastIndex(({ type, encrypted_content: sealed }) => {
    const text = type === 'compaction' && typeof sealed === 'string' ? unsealed(sealed) : undefined
    return text !== undefined && readWindow(text) !== undefined
  })
  return Math.max(latest, 0)
}

/** Whether it is read wherever it stands: a compaction holds no instructions. */
export function isInstruction({ type = 'message', role }: Fields): boolean {
  return type === 'message' && (role === 'system' || role === 'developer')
}
