import type { Addition, KnownTokens } from '../../journal/entry.js'
import type { ResponseRequest } from '../../responses/request.js'
import type { ResponseObject } from '../../responses/response.js'
import { type Seal, unsealInput } from '../../seal/index.js'
import type { FinishedResponse, KeptResponse } from '../../stores/store.js'

/** A response that is over. */
export interface EndedResponse {
  readonly response: ResponseObject
  /** The ids that followed its prompt. */
  readonly transcript: readonly number[]
  /** Whether it was stopped: its last entry says so. */
  readonly isAborted: boolean
}

/**
 * What is kept of a response: all of it follows from its first entry, which says what it added, from the fold of its
 * entries, and from the seal of what it gave. Any process can say it.
 */
export function finishedResponse(
  { response, transcript, isAborted }: EndedResponse,
  { input, history = [] }: Addition,
  { seal, owner }: { readonly seal: Seal; readonly owner: string },
): FinishedResponse {
  const isCancelled = isAborted && response.status === 'failed'
  const kept: KeptResponse = isCancelled ? { ...response, status: 'cancelled', error: null } : response
  const own = transcript.length > 0 ? [{ tokens: [...transcript], ...itemsOf(response) }] : []
  return { response: kept, added: input, history: [...history, ...openedOutput(response, { seal, owner }), ...own] }
}

/** The ids of its items. What was compacted has a transcript of more: of the conversation before, as it was then. */
function itemsOf({ output }: ResponseObject): { readonly items?: readonly string[] } {
  if (output.some(({ type }) => (type as string) === 'compaction')) return {}
  return { items: output.map(({ id }) => id) }
}

/** What the seals of its output hold: opened once, and not by each response that goes on from it. */
function openedOutput(
  { output }: ResponseObject,
  { seal, owner }: { readonly seal: Seal; readonly owner: string },
): readonly KnownTokens[] {
  const sealed = output.filter(
    (item) => typeof (item as { encrypted_content?: unknown }).encrypted_content === 'string',
  )
  // One at a time: what a host inserted need not be sealed by this server.
  return sealed.flatMap((item): readonly KnownTokens[] => {
    try {
      // An output item, as a client sends it back.
      return unsealInput([item] as unknown as ResponseRequest['input'], { seal, caller: owner, foreign: 'ignore' })
        .history
    } catch {
      return []
    }
  })
}
