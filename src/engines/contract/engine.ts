import type { HostUsage, StreamEnd, TokenChunk } from '../../core/tokens/token-source.js'
import type { Constraint, EngineCapabilities } from './constraint.js'
import type { PromptFields } from './prompt-fields.js'

/** Parameters of sampling. The defaults are those of the Responses API: all tokens, at temperature 1. */
export interface Sampling {
  /** The temperature; 0 always takes the most likely token. Default 1. */
  readonly temperature?: number
  /** Samples from the most likely tokens whose probabilities add up to this, 0 to 1. Default 1: from all. */
  readonly topP?: number
  /** Samples from this many of the most likely tokens. Default: from all. */
  readonly topK?: number
  /** Excludes tokens less likely than this fraction of the most likely one's probability, 0 to 1. Default 0: none. */
  readonly minP?: number
  /** The same seed, prompt and engine give the same tokens. Default: the engine's choice. */
  readonly seed?: number
}

/** One model call. */
export interface GenerateOptions {
  /** How tokens are chosen. Default: the engine's own settings. */
  readonly sampling?: Sampling
  /**
   * The maximum number of tokens, after which the stream ends with `max_output_tokens`. Default: as many as fit the
   * engine's context.
   */
  readonly maxTokens?: number
  /** Ids that end the turn; the stream includes the one that did. Default {@link STOP_TOKENS}. */
  readonly stop?: readonly number[]
  /** Requests log-probabilities of each token and of this many alternatives (0 to 20). Default: none. */
  readonly logprobs?: number
  /**
   * A constraint on the sampled text. The prompt then ends with the `<|message|>` (or the part of a header) that the
   * text follows. Of the special tokens, only the engine's own end-of-sequence tokens are sampled, once the text is
   * complete: a grammar takes the others for text, so the model could forge a message inside a JSON string with them.
   * The stream ends with such a token, or without one if the engine does not send it. Default: none.
   *
   * A constraint that the engine cannot enforce is a `bad_option`, see {@link EngineCapabilities}.
   */
  readonly constraint?: Constraint
  /**
   * What the prompt's ids do not say in fields, for an engine whose capabilities take messages. Other engines ignore it.
   */
  readonly promptFields?: PromptFields
  /**
   * The W3C trace context of the request, `traceparent` and `tracestate`, which is sent to engines behind HTTP. A value
   * that does not have the W3C's shape is left out.
   */
  readonly trace?: { readonly traceparent: string; readonly tracestate?: string }
  /**
   * Separates the engine's prefix cache: the call reuses only what calls with the same text have left there. By the count of
   * cached tokens, and by time, a user could otherwise test guesses at what others asked. 1 to 128 letters, digits, `-`
   * and `_`. vLLM and SGLang have it; other engines ignore it.
   */
  readonly cacheSalt?: string
  /**
   * Called at most once, before the end, by engines that know early how much of the prompt they have to read, with the
   * counts that the stream's end repeats: a call that is closed has no end. vLLM reports them only at the end.
   */
  readonly onUsage?: (usage: HostUsage) => void
  /**
   * How long after its start a call that the server refused may still be made again, in milliseconds: the wait for a
   * later attempt is left to the caller, who gets the refusal with its `retryAfterMs`. Engines behind HTTP have it.
   * Default: as long as the engine's own limits allow.
   */
  readonly retryWithinMs?: number
  /** Aborts the call; the stream throws the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * The tokens of one model call, as they are sampled: each once, in order, the stop token last and nothing after it.
 *
 * - The first `next()` starts the call; the engine is not contacted before.
 * - `return()` closes the call at once. A pending `next()` then resolves with `done: true`.
 * - A step may have no tokens: it shows that the engine has the call, perhaps in a queue, and is not hung.
 * - One `next()` throws an error; all later ones resolve with `done: true`.
 * - The return value states why it ended: `stop` after a stop token, `max_output_tokens` if the limit or the context is
 *   exhausted.
 */
export interface TokenStream extends AsyncIterableIterator<TokenChunk, StreamEnd | undefined, void> {
  /** Closes the call at once. */
  return(): Promise<IteratorResult<TokenChunk, StreamEnd | undefined>>
}

/** Options of `capabilities`. */
export interface CapabilitiesOptions {
  /** Aborts the query. */
  readonly signal?: AbortSignal
  /**
   * Whether the caller will constrain a call. If not, the engine need not find out its constraints, which may take
   * calls to a server. Default true.
   */
  readonly constraints?: boolean
}

/**
 * Runs a gpt-oss model: prompt tokens in, sampled tokens out. All engines of this library implement it. To use another
 * engine, implement `generate` and `health`.
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import type { TokenEngine } from 'harmony-responses/engine'
 *
 * async function answer(engine: TokenEngine): Promise<void> {
 *   const generated = engine.generate(promptTokens, { maxTokens: 512 })
 *   for await (const event of translate(generated, { request })) send([event])
 * }
 * ```
 */
export interface TokenEngine {
  /**
   * Calls the model once.
   *
   * @param promptTokens - the complete rendered prompt, ending with `<|start|>assistant`
   * @throws HarmonyResponsesError `bad_option`, from the call itself
   * @throws EngineError from `next()`
   */
  generate(promptTokens: readonly number[] | Uint32Array, options?: GenerateOptions): TokenStream
  /**
   * Resolves if the engine would accept a call now.
   *
   * @throws EngineError that states why it would not
   */
  health(options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * Returns the engine's capabilities. An engine without this method has no known context length and supports no
   * constraint.
   *
   * @throws EngineError if it has to query a server that does not answer
   */
  capabilities?(options?: CapabilitiesOptions): Promise<EngineCapabilities>
}
