import type { EngineCapabilities } from '../engine/constraint.js'
import { isAnswerJson } from '../recipients/format-classifier.js'
import type { ParsedRequest } from '../responses/parsed-request.js'
import type { ResponseRequest } from '../responses/request.js'
import type { NoticeCode } from '../translate/diagnostics.js'

/** The parameters that no response echoes, and by which it goes on. */
type OwnParameters = Pick<ParsedRequest, 'generate' | 'seed' | 'stop'>

/**
 * The parameters that have to be in the open entry although no response echoes them. Those that cannot be followed are
 * reported, and are not in it.
 *
 * @param notice - receives the report of each
 */
export function ownParameters(
  request: ResponseRequest,
  { hasSeed = true }: EngineCapabilities,
  notice: (code: NoticeCode, subject: string) => void = () => {},
): OwnParameters {
  const { generate, seed, stop } = request as ParsedRequest
  const ignore = (subject: string): void => notice('ignored_parameter', subject)
  const isSeeded = seed != null && hasSeed
  if (seed != null && !hasSeed) ignore('seed (the engine has none)')
  const isStopped = stop != null && stop.length > 0
  const isFree = !isAnswerJson(request)
  // A part of a JSON text is none.
  if (isStopped && !isFree) ignore('stop (text.format is set)')
  return {
    ...(generate === false && { generate }),
    ...(isSeeded && { seed }),
    ...(isStopped && isFree && { stop }),
  }
}
