import type { ResponseRequest } from '../../core/responses/request.js'
import { check } from '../../shared/errors.js'
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
 * import { generateOptions } from 'harmony-responses/engine'
 * import { answer, scriptedEngine } from 'harmony-responses/testing'
 *
 * const engine = scriptedEngine([answer('Hi!')])
 * const generated = engine.generate(promptTokens, { ...generateOptions(request), signal })
 * for await (const event of translate(generated, { request, signal })) send([event])
 * ```
 */
export function generateOptions(request: ResponseRequest): GenerateOptions {
  check(typeof request === 'object' && request !== null, 'request', 'a Responses create request', request)
  const temperature = numberIn(request, 'temperature', 0, 2)
  const topP = numberIn(request, 'top_p', 0, 1)
  const seed = countIn(request, 'seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  const maxTokens = countIn(request, 'max_output_tokens', 1, Number.MAX_SAFE_INTEGER)
  const topLogprobs = countIn(request, 'top_logprobs', 0, 20)
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

function numberIn(request: ResponseRequest, name: Parameter, least: number, most: number): number | undefined {
  const value = request[name] ?? undefined
  if (value === undefined) return undefined
  const isRight = typeof value === 'number' && value >= least && value <= most
  check(isRight, `request.${name}`, `a number from ${least} to ${most}`, value)
  return value
}

function countIn(request: ResponseRequest, name: Parameter, least: number, most: number): number | undefined {
  const value = request[name] ?? undefined
  if (value === undefined) return undefined
  const isRight = Number.isInteger(value) && (value as number) >= least && (value as number) <= most
  const range = most === Number.MAX_SAFE_INTEGER && least > 0 ? `of at least ${least}` : `from ${least} to ${most}`
  check(isRight, `request.${name}`, `a whole number ${range}`, value)
  return value as number
}
