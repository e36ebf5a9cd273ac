import { checkEnforces, copyConstraint } from '../../contract/check-constraint.js'
import { checkGenerate } from '../../contract/check-generate.js'
import type { GenerateOptions } from '../../contract/index.js'
import { GBNF_CAPABILITIES } from '../gbnf.js'

/**
 * The arguments of one call, checked, and copied because it begins later and the caller may change them.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkedCall(
  promptTokens: readonly number[] | Uint32Array,
  options: GenerateOptions,
): { readonly prompt: number[]; readonly options: GenerateOptions } {
  checkGenerate(promptTokens, options)
  const { constraint } = options
  checkEnforces('llama.cpp', GBNF_CAPABILITIES, constraint)
  const copy = constraint === undefined ? {} : { constraint: copyConstraint(constraint) }
  return { prompt: Array.from(promptTokens), options: { ...options, ...copy } }
}
