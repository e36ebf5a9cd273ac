import type { Diagnostic } from '../../../core/diagnostics/diagnostic.js'
import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import { RequestError, withParam } from '../../../shared/request-error.js'
import type { Caller } from './caller.js'
import { type ResolvedRequest, resolveConversation } from './conversation/conversation.js'
import type { Setup } from './setup.js'

/**
 * Runs a function on the conversation of a request, with the earlier responses that its caller may continue.
 *
 * @param make - the function; its errors about the whole conversation are rebased onto the request
 * @throws RequestError if the request refers to something that its caller does not have; the error of `make`
 */
export async function inConversation<Made>(
  { durable, seal, foreignSeals: inGeneral, notice, pause, known, texts }: Setup,
  request: ParsedRequest,
  responseId: string,
  { owner, remembered, foreignSeals, signal }: Caller,
  make: (conversation: ResolvedRequest) => Promise<Made>,
): Promise<Made> {
  const onUnopened = (params: readonly string[]): void => notice(unopenedSeal(params))
  const conversation = await resolveConversation(request, {
    ...{ owner, store: durable.stored, seal, onUnopened, pause, known, texts, responseId },
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

/**
 * Rebases an error from the whole conversation onto the request: an item of the request gets the client's index, and an
 * item of an earlier response becomes `previous_response_id`.
 *
 * @param places - for each item of the conversation, its index in the request; undefined for an item of an earlier response
 */
function rebase(error: unknown, places: readonly (number | undefined)[]): unknown {
  if (!(error instanceof RequestError) || error.param === null) return error
  return withParam(error, rebaseParam(error.param, places))
}

/** Rebases one parameter: see {@link rebase}. */
function rebaseParam(param: string, places: readonly (number | undefined)[]): string {
  const [at, index] = /^input\[(\d+)\]/.exec(param) ?? []
  if (at === undefined) return param
  const own = places[Number(index)]
  return own === undefined ? 'previous_response_id' : param.replace(at, `input[${own}]`)
}

/** The maximum number of places that a diagnostic names. A conversation after a restart has one for each turn. */
const MAX_NAMED = 8

/** Returns the diagnostic for sealed content that the model continues without. It names the places, not the content. */
function unopenedSeal(params: readonly string[]): Diagnostic {
  const more = params.length - MAX_NAMED
  const subject = `${params.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return { code: 'unopened_seal', subject, index: -1 }
}
