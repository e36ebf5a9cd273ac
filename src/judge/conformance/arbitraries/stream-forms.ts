import { FIRST_SPECIAL, markerText, SPECIAL, VOCABULARY_SIZE } from '../../../core/harmony/vocabulary.js'
import type { TokenChunk } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { check, HarmonyResponsesError } from '../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aFunction, aTokenTable } from '../../../shared/options/checks.js'
import { encodeText } from './encode-text.js'
import fc from './fast-check.js'
import { spellsMarker } from './markers.js'

/** A marker id, text (adjacent texts are encoded together), or text whose pieces are encoded one by one. */
export type Part = number | string | { readonly split: readonly string[] }

/** A part of the stream that either the model or the host wrote. */
export interface Segment {
  readonly origin: 'model' | 'host'
  readonly parts: readonly Part[]
}

export const model = (...parts: readonly Part[]): Segment => ({ origin: 'model', parts })
export const host = (...parts: readonly Part[]): Segment => ({ origin: 'host', parts })

/** The beginning of every message of the model except the first. */
export const START: readonly Part[] = [SPECIAL.start, 'assistant']

/** The ids of parts. */
export function encodeParts(parts: readonly Part[], encode: Encode): number[] {
  const ids: number[] = []
  let span = ''
  const flush = (): void => {
    for (const id of encode(span)) ids.push(id)
    span = ''
  }
  for (const part of parts) {
    if (typeof part === 'string') {
      span += part
      continue
    }
    flush()
    if (typeof part === 'number') ids.push(part)
    else for (const piece of part.split) for (const id of encode(piece)) ids.push(id)
  }
  flush()
  return ids
}

const showPieces = (pieces: readonly string[]): string =>
  pieces.length > 12 ? `${pieces.slice(0, 4).join('·')}·… (${pieces.length} pieces)` : pieces.join('·')

/** Parts, for messages. */
export function showParts(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      if (typeof part !== 'number') return showPieces(part.split)
      return part < VOCABULARY_SIZE ? markerText(part) : `⟨${part}⟩`
    })
    .join('')
}

function textOfParts(parts: readonly Part[]): string {
  return parts
    .map((part) =>
      typeof part === 'string' ? part : typeof part === 'number' ? markerText(part) : part.split.join(''),
    )
    .join('')
}

const joinsToText = (parts: readonly Part[]): boolean =>
  !parts.some((part) =>
    typeof part === 'number'
      ? part >= VOCABULARY_SIZE
      : spellsMarker(typeof part === 'string' ? part : part.split.join('')),
  )

/**
 * Encodes text as ids of o200k_harmony. It is called with the text between markers; markers in it are ordinary text.
 */
export type Encode = (text: string) => readonly number[]

/** How to encode text: with a token table, or with your own encoder. Without either, there are no ids. */
export type EncodeOptions =
  /** The table has an encoder, unless you give another. */
  | { readonly tokenTable: TokenTable; readonly encode?: Encode }
  /** Your own encoder. */
  | { readonly tokenTable?: TokenTable; readonly encode: Encode }

export const ID_OPTIONS: OptionTable<EncodeOptions> = { tokenTable: aTokenTable, encode: aFunction }

/**
 * The encoder of options that need one.
 *
 * @param where - the function that was called
 * @throws HarmonyResponsesError `bad_option`
 */
export function neededEncoder(where: string, options: EncodeOptions): Encode {
  checkOptions(where, options, ID_OPTIONS)
  const encode = encoderOf(options as Partial<EncodeOptions>)
  check(encode !== undefined, 'tokenTable', 'await loadTokenTable(), or encode', undefined)
  return encode
}

/** The encoder of the options: their own one, or one for their table. */
export function encoderOf(options: EncodeOptions): Encode
export function encoderOf(options: Partial<EncodeOptions>): Encode | undefined
export function encoderOf({ tokenTable, encode }: Partial<EncodeOptions>): Encode | undefined {
  return encode ?? (tokenTable && ((text) => encodeText(text, tokenTable)))
}

/** Text with literal markers, from the model or the host: a `TokenChunk` without ids. */
export type TextChunk =
  | string
  /** Text that the host adds. */
  | { readonly host: string }

/** A stream as text with literal markers, as an engine yields it that decodes special tokens itself. */
export interface TextStream {
  /** One chunk for each run of one origin. Split them with `cutText`. */
  readonly textChunks: TextChunk[]
  /** For messages: the host's text in ⟦⟧, ids outside the vocabulary as ⟨201088⟩. */
  readonly text: string
}

/** A stream as token ids, in several forms. */
export interface TokenStream {
  /** All ids, including the host's. */
  readonly tokens: number[]
  /** The chunks with the host's ids marked: `number[]` and `{ host: number[] }`. Split them with `cutChunks`. */
  readonly chunks: TokenChunk[]
  /** The same as text with literal markers; absent if some text spells a marker or an id has no name. */
  readonly textChunks?: TextChunk[]
  /** For messages: the host's text in ⟦⟧, ids outside the vocabulary as ⟨201088⟩. */
  readonly text: string
}

/** Creates a stream from segments: as ids, and as text if that is unambiguous; only as text if there is no encoder. */
export function streamOf(segments: readonly Segment[], encode: Encode | undefined): TokenStream | TextStream {
  const written = segments.filter(({ parts }) => parts.length > 0)
  const text = written
    .map(({ origin, parts }) => (origin === 'host' ? `⟦${showParts(parts)}⟧` : showParts(parts)))
    .join('')
  const textChunks = isText(segments)
    ? written.map(({ origin, parts }): TextChunk => byOrigin(origin, textOfParts(parts)))
    : undefined
  if (!encode) {
    const message = `tokenTable: expected one where a text spells a marker or an id has no name, got none for ${text}`
    if (!textChunks) throw new HarmonyResponsesError('bad_option', message)
    return { textChunks, text }
  }
  const chunks = written.map(({ origin, parts }) => ({ origin, ids: encodeParts(parts, encode) }))
  return {
    tokens: chunks.flatMap(({ ids }) => ids),
    chunks: chunks.map(({ origin, ids }): TokenChunk => byOrigin(origin, ids)),
    ...(textChunks ? { textChunks } : {}),
    text,
  }
}

const byOrigin = <T>(origin: Segment['origin'], written: T): T | { readonly host: T } =>
  origin === 'host' ? { host: written } : written

/** Whether segments can be represented as text with literal markers. */
export function isText(segments: readonly Segment[]): boolean {
  return segments.every(({ parts }) => joinsToText(parts))
}

/**
 * A token for messages: `<|start|>`, `"assistant"`, or `⟨f0 9f⟩` if its bytes are not valid text; `⟨201088⟩` if it is
 * unknown, or if it is ordinary and there is no table.
 */
export function showToken(id: number, tokenTable?: TokenTable): string {
  if (id >= FIRST_SPECIAL && id < VOCABULARY_SIZE) return markerText(id)
  const text = tokenTable?.text(id)
  if (text !== undefined) return JSON.stringify(text)
  const bytes = Array.from(tokenTable?.bytes(id) ?? [], (byte) => byte.toString(16).padStart(2, '0'))
  return `⟨${bytes.length > 0 ? bytes.join(' ') : id}⟩`
}

/** Defines how fast-check prints a value, with a property that comparisons ignore. */
export function printedAs<T extends object>(value: T, show: () => string): T {
  return Object.defineProperty(value, fc.toStringMethod, { value: show, enumerable: false })
}
