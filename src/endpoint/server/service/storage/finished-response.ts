import type { ResponseRequest } from '../../../../core/responses/request.js'
import type { ResponseObject } from '../../../../core/responses/response.js'
import type { ConversationAddition, StoredHistoryEntry } from '../../../journal/entry.js'
import type { EndedResponse } from '../../../respond/index.js'
import { type Seal, unsealInput } from '../../../seal/index.js'
import type { FinishedResponse } from '../../../stores/store.js'

/**
 * Returns the stored form of a response. It is derived from its first entry, which has its addition, from the fold of
 * its entries, and from the seals of its output, so that any process can compute it.
 */
export function finishedResponse(
  { response, transcript, files }: EndedResponse,
  { input, history = [] }: ConversationAddition,
  { seal, owner }: { readonly seal: Seal; readonly owner: string },
): FinishedResponse {
  const own = transcript.length > 0 ? [{ tokens: [...transcript], ...itemsOf(response), ...(files && { files }) }] : []
  return { response, added: input, history: [...history, ...openedOutput(response, { seal, owner }), ...own] }
}

/**
 * Returns the ids of its items. After a compaction its transcript covers more: the conversation before, as it was then.
 */
function itemsOf({ output }: ResponseObject): { readonly items?: readonly string[] } {
  if (output.some(({ type }) => (type as string) === 'compaction')) return {}
  return { items: output.map(({ id }) => id) }
}

/** Opens the seals of its output once, rather than in each response that continues it. */
function openedOutput(
  { output }: ResponseObject,
  { seal, owner }: { readonly seal: Seal; readonly owner: string },
): readonly StoredHistoryEntry[] {
  const sealed = output.filter(
    (item) => typeof (item as { encrypted_content?: unknown }).encrypted_content === 'string',
  )
  // One at a time: an inserted item need not be sealed by this server.
  return sealed.flatMap((item): readonly StoredHistoryEntry[] => {
    try {
      // Opens an output item in the form in which a client sends it back.
      return unsealInput([item] as ResponseRequest['input'], { seal, caller: owner, foreign: 'ignore' }).history
    } catch {
      return []
    }
  })
}
