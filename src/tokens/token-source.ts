/** A sampled token that carries its probability, as engines give it when log-probabilities were asked for. */
export interface ScoredToken {
  readonly id: number
  /** Natural logarithm of the token's probability. */
  readonly logprob?: number
  /** The most likely tokens at this position, best first. */
  readonly topLogprobs?: readonly { readonly id: number; readonly logprob: number }[]
}

/** A model's token: its id in o200k_harmony (0..201087), bare or with its probability. */
export type HarmonyToken = number | ScoredToken

/**
 * What the host put into the transcript and the model did not sample: a tool's result message, the next
 * `<|start|>assistant`. It makes no output item and is no output token. A string may hold literal `<|markers|>`.
 */
export interface HostTokens {
  readonly host: readonly number[] | Uint32Array | string
}

/**
 * What one engine step produced: a token, several tokens, or (for engines that give only text) text in which the
 * special tokens are spelled as literal `<|markers|>`, cut anywhere.
 */
export type TokenChunk = HarmonyToken | readonly HarmonyToken[] | Uint32Array | string | HostTokens

/** Token counts that only the host knows. All are whole numbers of tokens. */
export interface HostUsage {
  readonly inputTokens?: number
  readonly cachedTokens?: number
  /** Only for text input, where tokens cannot be counted here. */
  readonly outputTokens?: number
  /** Only for text input. */
  readonly reasoningTokens?: number
}

/** Why the model stopped, as the host knows it. */
export type EndReason = 'stop' | 'max_output_tokens' | 'content_filter'

/** What a source may return when it is exhausted. */
export interface StreamEnd {
  readonly reason?: EndReason
  readonly usage?: HostUsage
}

/** What a source may return; a generator without a `return` returns void. */
// biome-ignore lint/suspicious/noConfusingVoidType: without void an ordinary generator would be no source
type SourceEnd = StreamEnd | undefined | void

/** Anything that yields token chunks in order. It may *return* a {@link StreamEnd}. */
export type TokenSource = AsyncIterable<TokenChunk, SourceEnd> | Iterable<TokenChunk, SourceEnd>
