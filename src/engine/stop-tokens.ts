import { SPECIAL } from '../harmony/vocabulary.js'

/** `<|return|>`, `<|call|>` and `<|endoftext|>` end a turn of gpt-oss. `<|end|>` does not. */
export const STOP_TOKENS: readonly number[] = [SPECIAL.return, SPECIAL.call, SPECIAL.endoftext]
