import type { StreamEnd, TokenChunk } from '../tokens/token-source.js'

/**
 * How the next token is drawn. What is left out is as the Responses API has it: every token may come, at temperature 1.
 */
export interface Sampling {
  /** 0 takes the likeliest token always. Default 1. */
  readonly temperature?: number
  /** Draws from the likeliest tokens whose probabilities add up to this, 0 to 1. Default 1: from all. */
  readonly topP?: number
  /** Draws from so many of the likeliest tokens. Default: from all. */
  readonly topK?: number
  /** Leaves out tokens less likely than this share of the likeliest one, 0 to 1. Default 0: none. */
  readonly minP?: number
  /** The same seed, prompt and engine give the same tokens. Default: the engine's choice. */
  readonly seed?: number
}

/** One model call. */
export interface GenerateOptions {
  readonly sampling?: Sampling
  /** After so many tokens the stream ends with `max_output_tokens`. Default: as many as the engine's context holds. */
  readonly maxTokens?: number
  /** Ids that end the turn, and are its last token. Default {@link STOP_TOKENS}. */
  readonly stop?: readonly number[]
  /** Asks for log-probabilities: of each token, and of so many of the likeliest beside it (0 to 20). Default: none. */
  readonly logprobs?: number
  /** Closes the call; the stream throws the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * The tokens of one model call, as they are sampled: each once, in order, the stop token last and nothing after it.
 *
 * - It begins with the first `next()`; nothing has been asked of the engine before.
 * - `return()` closes the call at once, even while a `next()` is under way, which then says that it is over.
 * - An error is thrown by one `next()`; every later one says that it is over.
 * - It returns why it ended: `stop` after a stop token, `max_output_tokens` where the limit or the context was full.
 */
export interface TokenStream extends AsyncIterableIterator<TokenChunk, StreamEnd | undefined, void> {
  return(): Promise<IteratorResult<TokenChunk, StreamEnd | undefined>>
}

/**
 * What runs a gpt-oss model: prompt tokens in, sampled tokens out. Every engine of this library is one, and whoever has
 * another writes these two methods.
 *
 *     translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })
 */
export interface TokenEngine {
  /**
   * One model call.
   *
   * @param promptTokens - the whole rendered prompt, `<|start|>assistant` at its end
   * @throws HarmonyResponsesError `bad_option`, from the call itself
   * @throws EngineError from `next()`
   */
  generate(promptTokens: readonly number[] | Uint32Array, options?: GenerateOptions): TokenStream
  /**
   * Resolves where the engine would take a call now.
   *
   * @throws EngineError that says why it would not
   */
  health(options?: { readonly signal?: AbortSignal }): Promise<void>
}
