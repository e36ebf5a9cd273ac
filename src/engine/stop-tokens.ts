import { SPECIAL } from '../harmony/vocabulary.js'

/** `<|return|>`, `<|call|>` and `<|endoftext|>`: what ends a turn of gpt-oss. `<|end|>` does not. */
export const STOP_TOKENS: readonly number[] = [SPECIAL.return, SPECIAL.call, SPECIAL.endoftext]
