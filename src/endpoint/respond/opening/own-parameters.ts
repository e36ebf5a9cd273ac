import type { NoticeCode } from '../../../core/diagnostics/diagnostic.js'
import { isAnswerJson } from '../../../core/recipients/format-classifier.js'
import type { ParsedRequest } from '../../../core/responses/parsed-request.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import type { EngineCapabilities } from '../../../engines/contract/constraint.js'

/** The parameters that affect the response but are not echoed. */
type OwnParameters = Pick<ParsedRequest, 'generate' | 'seed' | 'stop'>

/**
 * Returns the parameters that the open entry has to contain although no response echoes them. Unsupported ones are
 * reported and left out.
 *
 * @param notice - called with each unsupported one
 */
export function ownParameters(
  request: ResponseRequest,
  { hasSeed = true, takes }: EngineCapabilities,
  notice: (code: NoticeCode, subject: string) => void = () => {},
): OwnParameters {
  const { generate, seed, stop, enable_response_messages: asksForMessages } = request as ParsedRequest
  const ignore = (subject: string): void => notice('ignored_parameter', subject)
  const isSeeded = seed != null && hasSeed
  const isScored = request.include?.includes('message.output_text.logprobs') === true
  if (isScored && takes === 'messages') ignore('logprobs (the engine has none)')
  if (seed != null && !hasSeed) ignore('seed (the engine has none)')
  const isStopped = stop != null && stop.length > 0
  const isFree = !isAnswerJson(request)
  // Part of a JSON text is not valid JSON.
  if (isStopped && !isFree) ignore('stop (text.format is set)')
  // They would show tool results and reasoning that the items may hide.
  if (asksForMessages === true) ignore('enable_response_messages')
  return {
    ...(generate === false && { generate }),
    ...(isSeeded && { seed }),
    ...(isStopped && isFree && { stop }),
  }
}
