import type { TokenStream } from '../engine/index.js'
import { tokenStream } from '../engine/token-stream.js'
import { check } from '../errors.js'
import type { StreamEnd } from '../tokens/token-source.js'

export type { TokenStream } from '../engine/index.js'

/** What gives text: a fetch body, or pieces of text or of its UTF-8, cut anywhere. */
export type TextPieces =
  | ReadableStream<string | Uint8Array>
  | AsyncIterable<string | Uint8Array, unknown>
  | Iterable<string | Uint8Array, unknown>

/** Options of {@link textSource}. */
export interface TextSourceOptions {
  /**
   * Why the text ended and how many tokens it was, asked for when it has. Default: what the iteration of the pieces
   * returned, else nothing: then the text is taken for cut off where it ends inside a message.
   */
  readonly end?: StreamEnd | (() => StreamEnd | undefined)
  /** Closes the pieces; the source throws the signal's reason. */
  readonly signal?: AbortSignal
}

/**
 * A source for engines that give text alone, with its special tokens spelled out: `<|channel|>final<|message|>Hi`.
 *
 *     translate(textSource(response.body, { end: { reason: 'stop' } }), { request })
 *
 * Where an engine can give token ids, take those. Of text
 *
 * - nobody knows how many tokens it was: the response's `usage` is null, unless `end` tells `outputTokens`;
 * - what merely spells a marker is taken for the marker: a model that quotes `<|end|>` ends its message there;
 * - there are no log-probabilities;
 * - what the engine made of half a character is lost, mostly U+FFFD; so is what was no UTF-8 in bytes;
 * - an engine that leaves special tokens out of its text (most do by default) gives nothing that can be translated.
 *
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 */
export function textSource(pieces: TextPieces, options: TextSourceOptions = {}): TokenStream {
  const { [Symbol.asyncIterator]: isAsync, [Symbol.iterator]: isSync, getReader } = Object(pieces)
  const isPieces = (isAsync ?? isSync ?? getReader) !== undefined
  check(isPieces, 'pieces', 'a stream or an iterable of text or bytes', pieces)
  check(typeof options === 'object' && options !== null, 'options', 'an object', options)
  return tokenStream((signal) => decodedText(pieces, options, signal), options.signal)
}

async function* decodedText(
  pieces: TextPieces,
  { end }: TextSourceOptions,
  signal: AbortSignal,
): AsyncGenerator<string, StreamEnd | undefined> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const iterator = iterate(pieces)
  // Heard at once, and not when the next piece comes, which may be never.
  signal.addEventListener('abort', () => void close(iterator))
  for (;;) {
    const { done, value } = await iterator.next()
    if (done) {
      const rest = utf8.decode()
      if (rest !== '') yield rest
      return (typeof end === 'function' ? end() : end) ?? (value as StreamEnd | undefined)
    }
    // Bytes that were left open before a text are no character any more.
    const text = typeof value === 'string' ? utf8.decode() + value : utf8.decode(checked(value), { stream: true })
    if (text !== '') yield text
  }
}

type Pieces = AsyncIterator<string | Uint8Array, unknown> | Iterator<string | Uint8Array, unknown>

function iterate(pieces: TextPieces): Pieces {
  // Whole in one piece: iterating it would give characters, or bytes.
  if (typeof pieces === 'string' || pieces instanceof Uint8Array) return [pieces as string | Uint8Array].values()
  if ('getReader' in pieces) return chunksOf(pieces)
  return Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]()
}

/** As `for await` would read it, in browsers too; and closed while it is waited for, which that cannot do. */
function chunksOf(stream: ReadableStream<string | Uint8Array>): AsyncIterator<string | Uint8Array, undefined> {
  const reader = stream.getReader()
  return {
    async next() {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done, value }
    },
    async return() {
      await reader.cancel()
      return { done: true, value: undefined }
    },
  }
}

/** Without waiting for it: pieces that are stuck never answer. Nobody listens to what comes of it. */
async function close(pieces: Pieces): Promise<void> {
  try {
    await pieces.return?.()
  } catch {}
}

function checked(piece: unknown): Uint8Array {
  check(piece instanceof Uint8Array, 'piece', 'text or bytes', piece, 'bad_chunk')
  return piece
}
