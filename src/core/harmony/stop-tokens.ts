import { SPECIAL } from './vocabulary.js'

/** `<|return|>`, `<|call|>` and `<|endoftext|>` end a turn of gpt-oss. `<|end|>` does not. */
export const STOP_TOKENS: readonly number[] = [SPECIAL.return, SPECIAL.call, SPECIAL.endoftext]

/** The tokens that end a message of a conversation. `<|endoftext|>` is none of its format. */
export const TERMINATORS: readonly number[] = [SPECIAL.end, SPECIAL.call, SPECIAL.return]

/** All tokens that end a message. */
export const MESSAGE_ENDS: readonly number[] = [SPECIAL.end, SPECIAL.return, SPECIAL.call, SPECIAL.endoftext]

/** The tokens that begin or end a message. */
export const MESSAGE_BORDERS: readonly number[] = [
  SPECIAL.start,
  SPECIAL.end,
  SPECIAL.call,
  SPECIAL.return,
  SPECIAL.endoftext,
]
