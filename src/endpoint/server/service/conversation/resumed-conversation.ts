import type { InputItem } from '../../../../core/responses/input-items.js'
import type { ResponseRequest } from '../../../../core/responses/request.js'
import { merged } from '../../../../shared/merged.js'
import type { OpenEntry } from '../../../journal/entry.js'
import type { FinishedResponse } from '../../../stores/store.js'
import type { Setup } from '../setup.js'
import { isRead, type ResolvedRequest } from './conversation.js'
import { withoutForeignReasoning } from './foreign-reasoning.js'

/**
 * Resolves the request of a response that began earlier or elsewhere, with everything that it refers to.
 *
 * @param responses - those that it continues
 */
export function resumedConversation(
  { known, foreignSeals, seal }: Pick<Setup, 'known' | 'foreignSeals' | 'seal'>,
  responses: readonly FinishedResponse[],
  open: OpenEntry,
): ResolvedRequest {
  const { items: before, readable, history, prompt } = known.of(responses)
  const { previous, input, history: own = [] } = open
  const { tools } = open.prompt
  const items = foreignSeals === 'ignore' ? withoutForeignReasoning(input, seal) : input
  return {
    // The entry holds a request that was parsed when it was written.
    request: merged(open.request, {
      ...(tools && { tools }),
      input: readable.concat(items.filter(isRead)),
    }) as ResponseRequest,
    input: before.concat(input as InputItem[]),
    places: [],
    history: history.concat(own),
    addition: open,
    own: open,
    before: previous,
    responses,
    earlier: prompt,
    approvedCalls: open.approvedCalls,
  }
}
