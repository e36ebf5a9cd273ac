import { FIRST_SPECIAL, SPECIAL } from '../../../core/harmony/vocabulary.js'

/** The last special token of the model's own tokenizer, which names 199998 to 200018. */
const LAST_NAMED = 200_018

/**
 * The special tokens that vLLM and SGLang must not sample beside a constraint: all that the tokenizer knows, except
 * `<|return|>`. Their grammar engines may take special tokens for their spelling (mlc-ai/xgrammar issue 832), and the
 * model could forge a message inside of a JSON string. `<|return|>` is the end of sequence by the tokenizer, which every
 * version knows; some versions take `<|call|>` and `<|endoftext|>` for text as well, and the body would end halfway.
 *
 * The ids from 200019 on are not in the tokenizer: without a spelling, no grammar allows them. Naming them too would
 * exceed vLLM's limits of 1,024 biases and 128 bad words per request.
 */
export const BANNED: readonly number[] = /* @__PURE__ */ Array.from(
  { length: LAST_NAMED + 1 - FIRST_SPECIAL },
  (_, index) => FIRST_SPECIAL + index,
).filter((id) => id !== SPECIAL.return)
