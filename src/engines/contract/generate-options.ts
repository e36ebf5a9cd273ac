import type { ResponseRequest } from '../../core/responses/request.js'
import { check } from '../../shared/errors.js'
import type { OptionCheck } from '../../shared/options/check-options.js'
import { that, wholeNumber } from '../../shared/options/checks.js'
import type { GenerateOptions } from './engine.js'

/**
 * Converts a Responses request to engine options: `temperature`, `top_p`, `seed`, `max_output_tokens`, and
 * log-probabilities if it includes `message.output_text.logprobs`, with `top_logprobs` alternatives. Null counts as
 * unset. `stop` is not among them: engines stop at tokens, `respond` at text.
 *
 * @throws HarmonyResponsesError `bad_option`: a parameter is invalid
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { toGenerateOptions } from 'harmony-responses/engine'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([answer('Hi!')])
 * const generated = engine.generate(promptTokens, { ...toGenerateOptions(request), signal })
 * for await (const event of translate(generated, { request, signal })) send([event])
 * ```
 */
export function toGenerateOptions(request: ResponseRequest): GenerateOptions {
  check(typeof request === 'object' && request !== null, 'request', 'a Responses create request', request)
  const temperature = numberIn(request, 'temperature', numberUpTo(2))
  const topP = numberIn(request, 'top_p', numberUpTo(1))
  const seed = numberIn(request, 'seed', aSeed)
  const maxTokens = numberIn(request, 'max_output_tokens', wholeNumber(1))
  const topLogprobs = numberIn(request, 'top_logprobs', wholeNumber(0, 20))
  const wantsLogprobs = request.include?.includes('message.output_text.logprobs') ?? false
  return {
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(seed === undefined ? {} : { seed }),
    },
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(wantsLogprobs ? { logprobs: topLogprobs ?? 0 } : {}),
  }
}

type Parameter = 'temperature' | 'top_p' | 'seed' | 'max_output_tokens' | 'top_logprobs'

/** Returns an optional number. @throws HarmonyResponsesError `bad_option` */
function numberIn(request: ResponseRequest, name: Parameter, isRight: OptionCheck): number | undefined {
  const value = request[name] ?? undefined
  if (value !== undefined) isRight(value, `request.${name}`)
  return value
}

const aSeed: OptionCheck = that(
  Number.isSafeInteger,
  `a whole number from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
)

const numberUpTo = (max: number): OptionCheck =>
  that((value) => typeof value === 'number' && value >= 0 && value <= max, `a number from 0 to ${max}`)
