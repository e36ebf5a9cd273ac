import { SPECIAL } from '../harmony/vocabulary.js'

/** The tokens that end a turn of gpt-oss: `<|return|>`, `<|call|>` and `<|endoftext|>`. `<|end|>` does not. */
export const STOP_TOKENS: readonly number[] = [SPECIAL.return, SPECIAL.call, SPECIAL.endoftext]
