import type { InputItem } from '../../../../core/responses/input-items.js'
import type { HistoryEntry } from '../../../prompt/history.js'
import type { Seal } from '../../../seal/index.js'

/** Drops another server's sealed reasoning, which this server cannot open, so that the model continues without it. */
export function withoutForeignReasoning(items: readonly InputItem[], seal: Seal): readonly InputItem[] {
  return items.map((item) => {
    if (item.type !== 'reasoning') return item
    const { encrypted_content: sealed, ...rest } = item
    return typeof sealed === 'string' && seal.isForeign(sealed) ? rest : item
  })
}

/** Drops sealed reasoning of earlier responses that could not be opened on arrival. */
export function withoutUnopenedReasoning(
  items: readonly InputItem[],
  history: readonly HistoryEntry[],
): readonly InputItem[] {
  const opened = new Set<unknown>()
  for (const entry of history) if ('sealed' in entry) opened.add(entry.sealed)
  return items.map((item) => {
    if (item.type !== 'reasoning' || item.encrypted_content == null || opened.has(item.encrypted_content)) return item
    const { encrypted_content: _, ...rest } = item
    return rest
  })
}
