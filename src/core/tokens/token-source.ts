/** A sampled token with its log-probability, if the engine was asked for it. */
export interface ScoredToken {
  /** The token's id in o200k_harmony. */
  readonly id: number
  /** Natural logarithm of the token's probability. */
  readonly logprob?: number
  /** The most likely tokens at this position, best first. */
  readonly topLogprobs?: readonly { readonly id: number; readonly logprob: number }[]
}

/** A model's token: its id in o200k_harmony (0..201087), alone or with its log-probability. */
export type HarmonyToken = number | ScoredToken

/** A tool's complete message to the model, as the host adds it to the transcript. */
export interface HostMessage {
  /** The tool, by the name that the model called: `python`, `functions.get_weather`, `LABEL.tool`. */
  readonly author: string
  /** Its output. Always ordinary text: a `<|end|>` in it has no effect. */
  readonly text: string
  /** The message's channel. Default `commentary`. */
  readonly channel?: string
}

/**
 * Tokens that the host adds to the transcript. The model did not sample them, so they become no output item and count
 * as no output tokens.
 *
 * Push a tool's result as a {@link HostMessage}; the model's next turn begins after it. Encode ids so that no text
 * becomes a special token. **A string may contain literal `<|markers|>`: never put a tool's output into one, because a
 * web page that spells `<|start|>` could inject messages.**
 */
export interface HostTokens {
  /** Token ids, text with markers, or a tool's message. */
  readonly host: readonly number[] | Uint32Array | string | HostMessage
}

/**
 * The output of one engine step: a token, several tokens, or (for engines that return only text) text with special
 * tokens as literal `<|markers|>`, cut anywhere.
 */
export type TokenChunk = HarmonyToken | readonly HarmonyToken[] | Uint32Array | string | HostTokens

/** Token counts that only the host knows, as whole numbers of tokens. */
export interface HostUsage {
  /** Tokens of the prompt, those from the cache included. */
  readonly inputTokens?: number
  /** Tokens of the prompt that came from the engine's cache. */
  readonly cachedTokens?: number
  /** Only for text input, whose tokens cannot be counted here. */
  readonly outputTokens?: number
  /** Only for text input. */
  readonly reasoningTokens?: number
}

/** Why the model stopped, according to the host. */
export type EndReason = 'stop' | 'max_output_tokens' | 'content_filter'

/** The return value of a source. */
export interface StreamEnd {
  /** Why the model stopped. Default: `stop` after the end of a message, `max_output_tokens` in the middle of one. */
  readonly reason?: EndReason
  /** Token counts that are known only at the end. */
  readonly usage?: HostUsage
}

/** A generator without a `return` returns void. */
// biome-ignore lint/suspicious/noConfusingVoidType: without void an ordinary generator would be no source
export type SourceEnd = StreamEnd | undefined | void

/** A source that yields token chunks in order and may *return* a {@link StreamEnd}. */
export type TokenSource = AsyncIterable<TokenChunk, SourceEnd> | Iterable<TokenChunk, SourceEnd>
