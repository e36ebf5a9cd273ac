import type { Origin } from './events.js'
import {
  isNoise,
  isOneOf,
  isValue,
  type Opening,
  readWord,
  type SegmentMarker,
  splitRole,
  type ToolLookup,
  type Word,
} from './header-words.js'
import { FUNCTIONS, MCP } from './namespaces.js'
import { CHANNELS, CONTENT_TYPES } from './vocabulary.js'

/*
 * A header is a row of segments. A marker token begins each, and white space separates its words:
 *
 *     <|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>
 *              ^^^^^^^^^^^^^^^^^^^^^^^^           ^^^^^^^^^^^             ^^^^
 *              start                              channel                 constrain
 *
 * Segments are separated by token ids alone, so text that merely spells a marker stays text. Everything here depends on
 * the characters and markers only, never on how they were cut into tokens or chunks: a header that turns into prose
 * does so at the same character whatever the chunking (law 1). header-words.ts reads each word,
 * resolve-header.ts interprets them together.
 */

export interface Segment {
  marker: SegmentMarker
  text: string
  words: Word[]
  /** Whether it has an unknown word, and whether one of those is more than noise. */
  hasUnknown?: boolean
  hasProse?: boolean
}

/** A header that is being written. Plain data. */
export interface HeaderDraft {
  opening: Opening
  segments: Segment[]
  /** The word being written at the end of the last segment, or '' between words. */
  word: string
  /** Length of all segments, in UTF-16 units. */
  length: number
  /** Whether the model wrote any of it. */
  sampled?: boolean
  /** The model's own text, if the host wrote some of the header too: diagnostics quote the model only. */
  quoted?: string
  /** Whether an unterminated message of the host's implies the header: `<|start|>` may still follow then. */
  followsHost?: boolean
  /** Whether a marker came with nothing after it. */
  hasEmptySegment?: boolean
  /** Whether a recipient was written, or "to=". */
  isAddressed?: boolean
  /** How many tokens of text it has. */
  tokens?: number
}

/** Longest header, in UTF-16 units: some 256 tokens, far more than any real one. Models can loop in a header. */
export const MAX_HEADER_LENGTH = 1024

/** How much text may come before the first marker, in UTF-16 units: a few tokens. */
const MAX_STRAY_TEXT_LENGTH = 32

/** A long word with one of these beginnings belongs to a header, not to prose. */
const HEADER_STARTS = ['to=', `${FUNCTIONS}.`, `${MCP}.`, 'assistant']

const WHITE = /\s/

export function openHeader(opening: Opening): HeaderDraft {
  return {
    opening,
    segments: [{ marker: 'start', text: '', words: [] }],
    word: '',
    length: 0,
  }
}

/** Begins the next segment. {@link finishHeaderText} has to be called first. */
export function addHeaderMarker(draft: HeaderDraft, marker: 'channel' | 'constrain'): void {
  const last = lastSegment(draft)
  if (draft.quoted !== undefined) draft.quoted += ' '
  if (last.marker === 'start' || last.text !== '') draft.segments.push({ marker, text: '', words: [] })
  else {
    // Reuses an empty segment: an endless <|channel|><|constrain|> would otherwise grow without bound.
    last.marker = marker
    draft.hasEmptySegment = true
  }
}

/**
 * Adds text to the last segment.
 *
 * @param origin - who wrote the text: the host's is never taken for prose
 * @returns where in the segment the message's text begins, if the header has certainly ended without `<|message|>`
 */
export function addHeaderText(
  draft: HeaderDraft,
  text: string,
  tools: ToolLookup | undefined,
  origin: Origin,
): number | undefined {
  if (origin === 'host') draft.quoted ??= writtenText(draft)
  else if (draft.quoted !== undefined) draft.quoted += text
  // Skips the look at each character for plain words, since prose and JSON begin at others: a third less time for most
  // headers.
  if (draft.length + text.length < MAX_STRAY_TEXT_LENGTH && /^[\w.=]+$/.test(text)) {
    draft.length += text.length
    lastSegment(draft).text += text
    draft.word += text
    return undefined
  }
  for (let at = 0; at < text.length; at++) {
    const start = takeCharacter(draft, text[at] as string, tools, origin)
    if (start !== undefined) {
      lastSegment(draft).text += text.slice(at)
      return start
    }
  }
  return undefined
}

/** Takes a character. If it proves that the message's text has begun, returns where instead. */
function takeCharacter(
  draft: HeaderDraft,
  char: string,
  tools: ToolLookup | undefined,
  origin: Origin,
): number | undefined {
  const segment = lastSegment(draft)
  const isWhite = WHITE.test(char)
  if (isWhite) finishWord(draft, tools, origin)
  if (origin === 'model') {
    if (opensJson(draft, char, tools)) {
      finishWord(draft, tools, origin)
      const isConstrainedType = segment.marker === 'constrain' && looseWords(draft).length === 1
      return addressesTool(draft) || isConstrainedType ? segment.text.length : textStart(draft)
    }
    if (isLongAfterRole(draft, tools)) {
      finishWord(draft, tools, origin)
      return textStart(draft)
    }
    if ((isWhite && isProse(draft)) || isLongStrayText(draft)) return textStart(draft)
  }
  draft.length += 1
  if (draft.length > MAX_HEADER_LENGTH) return textStart(draft)
  segment.text += char
  if (!isWhite) draft.word += char
  return undefined
}

/** Returns all text of the header, without its segment markers. */
function writtenText({ segments }: HeaderDraft): string {
  return segments.flatMap(({ text }) => (text === '' ? [] : [text])).join(' ')
}

/** Returns the model's part of the header. */
export function quotedText(draft: HeaderDraft): string {
  return draft.quoted?.trim() ?? writtenText(draft)
}

/** Finishes the last word, as any marker does. Returns where the message's text begins, like {@link addHeaderText}. */
export function finishHeaderText(
  draft: HeaderDraft,
  tools: ToolLookup | undefined,
  origin: Origin,
): number | undefined {
  finishWord(draft, tools, origin)
  return origin === 'model' && isProse(draft) ? textStart(draft) : undefined
}

/**
 * Returns where the message's text begins in a header that ended without `<|message|>`: its end if there is no text.
 *
 * @param isCall - whether the header may be that of a call
 */
export function lastText(draft: HeaderDraft, isCall: boolean): number {
  const { hasUnknown, text, words } = lastSegment(draft)
  const [first, ...others] = words
  //     <|channel|>final<|constrain|>get_weather<|return|>     the answer is the name of a tool
  const isName = first?.kind === 'tool' && first.after === 'constrain' && others.length === 0 && !addressesTool(draft)
  return hasUnknown || (isName && !isCall) ? textStart(draft) : text.length
}

/** Whether the header belongs to another author than the assistant and the model has sampled nothing of it. */
export function isHostsHeader(
  { sampled, opening, segments, word }: HeaderDraft,
  tools: ToolLookup | undefined,
): boolean {
  if (sampled) return false
  const first = segments[0]?.words[0]
  const text = first?.text ?? (segments.length === 1 ? word : '')
  // The host may have stopped in the middle of the assistant's name.
  if ('assistant'.startsWith(text)) return false
  const [kind, value] = readWord(text, opening, 'start', undefined, tools)
  return kind === 'author' || (kind === 'role' && value !== 'assistant' && value !== '')
}

export function lastSegment(draft: HeaderDraft): Segment {
  return draft.segments.at(-1) as Segment
}

export function wordsOf(draft: HeaderDraft): Word[] {
  return draft.segments.flatMap(({ words }) => words)
}

/**
 * Whether JSON begins: where a word would, or right after a word that may end a header.
 *
 *     <|channel|>commentary to=functions.f <|constrain|>json{"location":"Rome"}
 *                                                           ^
 */
function opensJson(draft: HeaderDraft, char: string, tools: ToolLookup | undefined): boolean {
  const { word } = draft
  if (!/[{[]/.test(char)) return false
  if (word === '' || isOneOf(CONTENT_TYPES, word) || /^to=./.test(word)) return true
  if (isFirstWord(draft)) {
    //     <|start|>assistant{"answer":42}     <|start|>assistantfinal{"answer":42}
    const [role = '', channel = 'final', ...rest] = splitRole(word, draft.opening, tools)
    return /^(?:assistant)+$/.test(role) && isOneOf(CHANNELS, channel) && rest.length === 0
  }
  const { marker } = lastSegment(draft)
  return marker === 'channel' ? isOneOf(CHANNELS, word) : marker === 'constrain' && tools?.(word) !== undefined
}

/**
 * Whether the last segment is prose: two loose words, one of them unknown, in a header that addresses no tool.
 *
 *     <|channel|>final The answer
 *                      ^^^^^^^^^^
 */
function isProse(draft: HeaderDraft): boolean {
  // Before the first marker, one may still follow ("foo bar<|channel|>final"). The header of a call is read to its end.
  if (draft.segments.length === 1 || lastSegment(draft).hasProse !== true || addressesTool(draft)) return false
  return looseWords(draft).length >= 2
}

/** Whether the text before the first marker is too long for a header, or for junk between two messages. */
function isLongStrayText(draft: HeaderDraft): boolean {
  const { opening, word, length } = draft
  if (draft.segments.length > 1) return false
  if (lastSegment(draft).hasUnknown) {
    if (addressesTool(draft)) return false
    const loose = looseWords(draft)
    // After <|start|> an unknown first word may be a tool's name; a second one makes it prose.
    const isCertain = opening !== 'start' || loose.length >= 2
    return isCertain && length - (loose[0] as Word).start >= MAX_STRAY_TEXT_LENGTH
  }
  const isHeaders = opening === 'start' || HEADER_STARTS.some((start) => word.startsWith(start))
  return word.length >= MAX_STRAY_TEXT_LENGTH && !isHeaders
}

/** Whether the open word is a role with text glued to it that is too long for a header. */
function isLongAfterRole(draft: HeaderDraft, tools: ToolLookup | undefined): boolean {
  // Checked first, since this runs for every character.
  if (draft.word.length < MAX_STRAY_TEXT_LENGTH || !/^assistant/.test(draft.word) || !isFirstWord(draft)) return false
  if (/^(?:assistant)+to=/.test(draft.word)) return false
  const parts = splitRole(draft.word, draft.opening, tools)
  const rest = parts.at(-1) as string
  return (
    parts.length > 1 && rest.length >= MAX_STRAY_TEXT_LENGTH && !HEADER_STARTS.some((start) => rest.startsWith(start))
  )
}

/** Whether the open word is the first of the header, where the role belongs. */
function isFirstWord({ segments, word }: HeaderDraft): boolean {
  return word !== '' && segments.length === 1 && segments[0]?.words.length === 0
}

/** Whether the words so far hold a recipient, or a "to" whose value may still follow. */
function addressesTool(draft: HeaderDraft): boolean {
  if (draft.isAddressed) return true
  return draft.segments.findLast(({ words }) => words.length > 0)?.words.at(-1)?.kind === 'to'
}

/**
 * Returns the words of the last segment that may be prose: all whose meaning is not certain from their place. "final",
 * "json" and "python" may begin a sentence; only a `<|message|>` after them makes them a header.
 */
export function looseWords(draft: HeaderDraft): Word[] {
  return lastSegment(draft).words.filter((word, index, words) => {
    switch (word.kind) {
      case 'recipient':
        return false
      case 'role':
        return draft.opening !== 'start' && word.value !== 'assistant'
      case 'channel':
      case 'tool':
        return word.after !== 'channel' && word.isGlued !== true
      case 'type':
        return word.marker === 'start'
      case 'to':
        return word.text !== 'to=' && !isValue(words[index + 1])
      default:
        return true
    }
  })
}

/**
 * Returns where text that is not the header's begins: at the first loose word of the last segment, or at the open word.
 */
function textStart(draft: HeaderDraft): number {
  const { text, words } = lastSegment(draft)
  const first = looseWords(draft)[0]
  // Without any header, the white space before the text belongs to the text.
  if (draft.segments.length === 1 && first === words[0]) return 0
  return first?.start ?? text.length - draft.word.length
}

function finishWord(draft: HeaderDraft, tools: ToolLookup | undefined, origin: Origin): void {
  const { word, opening } = draft
  if (word === '') return
  // A host writes no role in front of a name: it may be that of a tool.
  const parts = origin === 'model' && isFirstWord(draft) ? splitRole(word, opening, tools) : [word]
  let start = lastSegment(draft).text.length - word.length
  for (const [index, part] of parts.entries()) {
    addWord(draft, part, start, index > 0, tools)
    start += part.length
  }
  draft.word = ''
}

function addWord(
  draft: HeaderDraft,
  text: string,
  start: number,
  isGlued: boolean,
  tools: ToolLookup | undefined,
): void {
  const segment = lastSegment(draft)
  const { marker, words } = segment
  const before = words.at(-1)
  const after = before === undefined ? marker : undefined
  const [kind, value = text] = readWord(text, draft.opening, after, before, tools)
  words.push({ kind, text, value, marker, start, after, ...(isGlued && { isGlued }) })
  // Stored as the words arrive: searching all of them for each character would make a long header take a second.
  if (kind === 'recipient' || text === 'to=' || (kind === 'tool' && after === 'channel')) draft.isAddressed = true
  if (kind === 'unknown' || kind === 'author') {
    segment.hasUnknown = true
    segment.hasProse ||= !isNoise(text)
  }
}
