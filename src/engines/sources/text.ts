/**
 * Tokens from engines that give only text. docs/engines.md compares the engines.
 *
 * @packageDocumentation
 */

import type { StreamEnd } from '../../core/tokens/token-source.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, anObject, aSignal, either } from '../../shared/options/checks.js'
import type { TokenStream } from '../contract/index.js'
import { tokenStream } from '../contract/token-stream.js'

export type { TokenStream } from '../contract/index.js'

/** A source of text: a fetch body, or pieces of text or UTF-8 bytes, split anywhere. */
export type TextInput =
  | ReadableStream<string | Uint8Array>
  | AsyncIterable<string | Uint8Array, unknown>
  | Iterable<string | Uint8Array, unknown>

/** Options of {@link textSource}. */
export interface TextSourceOptions {
  /**
   * Why the text ended and how many tokens it was; a function is called at the end. Default: the return value of the
   * pieces' iterator. Without any, text that ends inside a message counts as cut off.
   */
  readonly end?: StreamEnd | (() => StreamEnd | undefined)
  /** Closes the pieces; the source then throws the signal's reason. */
  readonly signal?: AbortSignal
}

const TEXT_SOURCE_OPTIONS: OptionTable<TextSourceOptions> = {
  end: either(anObject, aFunction, 'how it ended, or a function that says it'),
  signal: aSignal,
}

/**
 * A source for engines that return only text, with the special tokens spelled out: `<|channel|>final<|message|>Hi`.
 *
 * Prefer token ids if the engine can return them. With text
 *
 * - the number of tokens is unknown: the response's `usage` is null, unless `end` has `outputTokens`;
 * - text that spells a marker is read as the marker: a model that quotes `<|end|>` ends its message there;
 * - there are no log-probabilities;
 * - incomplete characters and invalid UTF-8 are lost, mostly as U+FFFD;
 * - the engine must keep special tokens in its text (most omit them by default), or nothing can be translated;
 * - `respond` takes it only from an engine whose capabilities say `spellsMarkers`.
 *
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 *
 * @example
 * ```ts
 * import { collectResponse, translate } from 'harmony-responses'
 * import { textSource } from 'harmony-responses/sources/text'
 *
 * const pieces = ['<|channel|>final<|mess', 'age|>Hi!<|return|>'] // or the body of a fetch Response
 * const response = await collectResponse(translate(textSource(pieces, { end: { reason: 'stop' } }), { request }))
 * console.log(response.status) // completed
 * ```
 */
export function textSource(pieces: TextInput, options: TextSourceOptions = {}): TokenStream {
  const { [Symbol.asyncIterator]: isAsync, [Symbol.iterator]: isSync, getReader } = Object(pieces)
  const isPieces = (isAsync ?? isSync ?? getReader) !== undefined
  check(isPieces, 'pieces', 'a stream or an iterable of text or bytes', pieces)
  checkOptions('textSource', options, TEXT_SOURCE_OPTIONS)
  return tokenStream((signal) => decodedText(pieces, options, signal), options.signal)
}

async function* decodedText(
  pieces: TextInput,
  { end }: TextSourceOptions,
  signal: AbortSignal,
): AsyncGenerator<string, StreamEnd | undefined> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const iterator = iterate(pieces)
  // Close at once, not at the next piece, which may never arrive.
  signal.addEventListener('abort', () => void close(iterator))
  for (;;) {
    const { done, value } = await iterator.next()
    if (done) {
      const rest = utf8.decode()
      if (rest !== '') yield rest
      return (typeof end === 'function' ? end() : end) ?? (value as StreamEnd | undefined)
    }
    // Incomplete bytes before a string cannot become a character any more.
    const text = typeof value === 'string' ? utf8.decode() + value : utf8.decode(checked(value), { stream: true })
    if (text !== '') yield text
  }
}

type Pieces = AsyncIterator<string | Uint8Array, unknown> | Iterator<string | Uint8Array, unknown>

function iterate(pieces: TextInput): Pieces {
  // A single piece: iterating it would yield characters or bytes.
  if (typeof pieces === 'string' || pieces instanceof Uint8Array) return [pieces as string | Uint8Array].values()
  if ('getReader' in pieces) return chunksOf(pieces)
  return Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]()
}

/** Iterates a stream, also in browsers without async iteration, and can be closed while a read is pending. */
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

/** Closes the pieces and ignores errors. Not awaited, because an iterator that is stuck never answers. */
async function close(pieces: Pieces): Promise<void> {
  try {
    await pieces.return?.()
  } catch {}
}

function checked(piece: unknown): Uint8Array {
  check(piece instanceof Uint8Array, 'piece', 'text or bytes', piece, 'bad_chunk')
  return piece
}
