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

/** A tool's whole message to the model, as the host puts it into the transcript. */
export interface HostMessage {
  /** The tool, by the name that the model called it by: `python`, `functions.get_weather`, `LABEL.tool`. */
  readonly author: string
  /** What it said. It is ordinary text whatever it spells: a `<|end|>` in it ends nothing. */
  readonly text: string
  /** Default `commentary`. */
  readonly channel?: string
}

/**
 * What the host put into the transcript and the model did not sample. It makes no output item and is no output token.
 *
 * Put a tool's result there as a {@link HostMessage}; the model's next turn begins behind it. Ids have to be encoded so
 * that text becomes no special token. **A string may hold literal `<|markers|>`: never build one around text that a
 * tool gave, because a web page that spells `<|start|>` would write messages of its own.**
 */
export interface HostTokens {
  readonly host: readonly number[] | Uint32Array | string | HostMessage
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
