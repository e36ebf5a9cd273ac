import type { ResponseRequest } from '../../../core/responses/request.js'
import type { EngineCapabilities } from '../../../engines/contract/constraint.js'
import { arrayTooLong, invalidType, invalidValue, unsupported } from '../../../shared/request-error.js'
import type { RespondOptions } from '../options.js'
import { promptBound } from '../prompts/prompt-bound.js'

/** The context of the gpt-oss models in tokens, for engines that do not report one. */
const CONTEXT = 131_072
/** The share of the context that is the threshold if the request names none. */
const SHARE = 3 / 4

/**
 * Returns the number of input tokens of a turn above which the conversation is compacted: `context_management` of the
 * request. Undefined if the request has none.
 *
 * @throws RequestError if it is malformed, or there is no seal for a compaction
 */
export function compactThreshold(
  request: ResponseRequest,
  { sealCompaction }: Pick<RespondOptions, 'sealCompaction'>,
  capabilities: EngineCapabilities,
): number | undefined {
  const { context_management: entries } = request
  if (entries === undefined || entries === null) return undefined
  if (!Array.isArray(entries)) throw invalidType(PARAM, 'an array of objects', entries)
  const [entry, ...others] = entries
  if (entry === undefined) return undefined
  if (typeof entry !== 'object' || entry === null) throw invalidType(`${PARAM}[0]`, 'an object', entry)
  const { type, compact_threshold: threshold } = entry as { readonly [field: string]: unknown }
  if (type !== 'compaction') throw invalidValue(`${PARAM}[0].type`, type, ['compaction'])
  if (others.length > 0) throw arrayTooLong(PARAM, 1, entries.length)
  if (sealCompaction === undefined) throw unsupported(`${PARAM}[0].type`, 'compaction is')
  const bound = promptBound(capabilities)
  if (threshold === undefined || threshold === null)
    return Math.floor((Number.isFinite(bound) ? bound : CONTEXT) * SHARE)
  if (typeof threshold !== 'number') throw invalidType(`${PARAM}[0].compact_threshold`, 'an integer', threshold)
  if (Number.isSafeInteger(threshold) && threshold > 0) return threshold
  throw invalidValue(`${PARAM}[0].compact_threshold`, String(threshold))
}

const PARAM = 'context_management'
