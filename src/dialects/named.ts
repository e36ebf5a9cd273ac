import { check } from '../shared/errors.js'
import type { Dialect } from './dialect.js'
import { openResponses } from './open-responses.js'
import { vllm } from './vllm.js'

/** The name of a dialect of this package. `openai` is the default wording. */
export type DialectName = 'openai' | 'open-responses' | 'vllm'

const DIALECT_NAMES: readonly DialectName[] = ['openai', 'open-responses', 'vllm']

/**
 * Returns the dialect; undefined for OpenAI's own wording.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function resolveDialect(given: Dialect | DialectName | undefined): Dialect | undefined {
  if (given === undefined || given === 'openai') return undefined
  if (typeof given === 'string') {
    const found = [openResponses, vllm].find(({ name }) => name === given)
    check(found !== undefined, 'dialect', `a dialect, or one of ${DIALECT_NAMES.join(', ')}`, given)
    return found
  }
  const { encoder, encodeResponse } = Object(given) as Partial<Dialect>
  const isDialect = typeof encoder === 'function' && typeof encodeResponse === 'function'
  check(isDialect, 'dialect', `a dialect, or one of ${DIALECT_NAMES.join(', ')}`, given)
  return given
}
