import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import type { Caller } from './caller.js'
import { type ResolvedRequest, resolveConversation } from './conversation/conversation.js'
import { rebase } from './conversation/rebase.js'
import { unopenedSeal } from './conversation/unopened-seal.js'
import type { Setup } from './setup.js'

/**
 * Runs a function on the conversation of a request, with the earlier responses that its caller may continue.
 *
 * @param make - the function; its errors about the whole conversation are rebased onto the request
 * @throws RequestError if the request refers to something that its caller does not have; the error of `make`
 */
export async function inConversation<Made>(
  { durable, seal, foreignSeals: inGeneral, notice, pause, known }: Setup,
  request: ParsedRequest,
  responseId: string,
  { owner, remembered, foreignSeals, signal }: Caller,
  make: (conversation: ResolvedRequest) => Promise<Made>,
): Promise<Made> {
  const onUnopened = (params: readonly string[]): void => notice(unopenedSeal(params))
  const conversation = await resolveConversation(request, {
    ...{ owner, store: durable.stored, seal, onUnopened, pause, known, responseId },
    foreignSeals: foreignSeals ?? inGeneral,
    ...(signal && { signal }),
    ...(remembered && { remembered }),
  })
  try {
    return await make(conversation)
  } catch (error) {
    throw rebase(error, conversation.places)
  }
}
