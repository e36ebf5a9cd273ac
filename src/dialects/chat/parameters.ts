import { isFields } from '../../shared/fields.js'
import {
  arrayTooLong,
  invalidValue,
  RequestError,
  unsupported,
  unsupportedParameter,
} from '../../shared/request-error.js'
import { fieldOf, flagAt, flagIn, integerAt, listAt, objectAt } from '../../shared/request-fields.js'
import type { Draft } from './draft.js'

/** Readers of parameters that are more than renamed. Each throws RequestError. */

/** Checks `n`: only one answer is supported. */
export function checkCount(n: unknown): void {
  const count = integerAt(n, 'n', 1)
  if (count === 1) return
  const message = `Unsupported value: 'n' does not support ${count} with this model. Only the default (1) value is supported.`
  throw new RequestError(message, { param: 'n', code: 'unsupported_value' })
}

/** Checks `modalities`: only text is supported. */
export function checkModalities(modalities: unknown): void {
  for (const [index, modality] of listAt(modalities, 'modalities', 'an array of strings').entries()) {
    if (modality === 'audio') throw unsupported('modalities', 'audio outputs are')
    if (modality !== 'text') throw invalidValue(`modalities[${index}]`, modality, ['text', 'audio'])
  }
}

/** OpenAI's limit of `stop`. The Responses API here allows more, for clients of Messages. */
export const MAX_STOPS = 4

/** Reads `stop`. */
export function readStop(value: unknown, draft: Draft): void {
  if (Array.isArray(value) && value.length > MAX_STOPS) throw arrayTooLong('stop', MAX_STOPS, value.length)
  draft.put('stop', value)
}

/** Checks `logit_bias`, which has to be empty. */
export function refuseUnlessEmpty(name: string): (value: unknown) => void {
  return (value) => {
    const isEmpty = value === '' || (Object(value) === value && Object.keys(value as object).length === 0)
    if (!isEmpty) throw unsupportedParameter(name)
  }
}

/** Reads `logprobs`: a flag here, a value of `include` in the Responses API. */
export function readLogprobs(value: unknown, draft: Draft): void {
  if (flagAt(value, 'logprobs') !== true) return
  draft.put('include', ['message.output_text.logprobs'], 'logprobs')
}

/** Reads `top_logprobs`: alternatives, which require `logprobs`. */
export function readTopLogprobs(value: unknown, draft: Draft): void {
  if (value !== 0 && draft.request['include'] === undefined) {
    const message = "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."
    throw new RequestError(message, { param: 'top_logprobs', code: 'invalid_value' })
  }
  draft.put('top_logprobs', value)
}

/** Reads `stream_options`. The Responses API always sends the token counts. */
export function readStreamOptions(value: unknown, draft: Draft): void {
  const options = objectAt(value, 'stream_options')
  const includeUsage = flagIn(options, 'include_usage', 'stream_options')
  if (includeUsage !== undefined) draft.answer = { ...draft.answer, includeUsage }
  const obfuscation = fieldOf(options, 'include_obfuscation')
  if (obfuscation !== undefined) draft.put('stream_options', { include_obfuscation: obfuscation })
}

/** Reads `reasoning` in OpenRouter's form: an effort, and whether the client wants to see the reasoning. */
export function readReasoning(value: unknown, draft: Draft): void {
  const options = objectAt(value, 'reasoning')
  putEffort(fieldOf(options, 'effort'), 'reasoning.effort', draft)
  if (flagIn(options, 'exclude', 'reasoning') === true) hideReasoning(draft)
}

/** Reads `include_reasoning`, the older name of `reasoning.exclude`. */
export function readIncludeReasoning(value: unknown, draft: Draft): void {
  if (flagAt(value, 'include_reasoning') === false) hideReasoning(draft)
}

function hideReasoning(draft: Draft): void {
  draft.answer = { ...draft.answer, reasoning: 'hidden' }
}

/**
 * Reads `chat_template_kwargs`: arguments of llama-server and vLLM for the model's template. That of gpt-oss uses the
 * effort.
 */
export function readTemplateArguments(value: unknown, draft: Draft): void {
  if (!isFields(value)) return
  putEffort(fieldOf(value, 'reasoning_effort'), 'chat_template_kwargs.reasoning_effort', draft)
}

/** Sets the first effort in the body. */
export function putEffort(effort: unknown, param: string, draft: Draft): void {
  if (effort === undefined || draft.request['reasoning'] !== undefined) return
  draft.putIn('reasoning', 'effort', effort, param)
}
