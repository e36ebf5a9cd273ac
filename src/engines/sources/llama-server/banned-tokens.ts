import { FIRST_SPECIAL, VOCABULARY_SIZE } from '../../../core/harmony/vocabulary.js'
import { STOP_TOKENS } from '../../contract/index.js'

/**
 * The `logit_bias` that bans all special tokens but the ends of sequence. Every one of them has a text in a GGUF file,
 * for which a grammar would take it.
 */
export function banSpecialTokens(): (readonly [id: number, bias: false])[] {
  const all = Array.from({ length: VOCABULARY_SIZE - FIRST_SPECIAL }, (_, index) => FIRST_SPECIAL + index)
  return all.filter((id) => !STOP_TOKENS.includes(id)).map((id) => [id, false] as const)
}
