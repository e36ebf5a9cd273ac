import type { Role } from './events.js'
import { CHANNELS, type Channel, CONTENT_TYPES, ROLES } from './vocabulary.js'

/*
 * A header is a row of segments, each begun by a marker token; words are cut at white space:
 *
 *     <|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>
 *              '-------- start --------'          '-channel-'             '---' constrain
 *
 * Segments are cut by token ids alone, so text that merely spells a marker stays text. Everything here depends on the
 * characters and markers only, never on how they were cut into tokens or chunks: a header that turns into prose does so
 * at the same character whatever the chunking (law 1). What the words mean together is settled in settle-header.ts.
 */

/** How the header began: implied by the prompt, by `<|start|>`, or by text or a marker where `<|start|>` belonged. */
export type Opening = 'turn' | 'start' | 'implied'

export interface Segment {
  marker: 'start' | 'channel' | 'constrain'
  text: string
}

export type WordKind =
  | 'role' // assistant, user:alice: the first word of the header
  | 'author' // an unknown first word after <|start|>: a tool that speaks, or prose
  | 'channel' // a channel's name, exact or nearly so
  | 'recipient' // to=X
  | 'to' // "to", "to=" or "=" on their own: the value may follow
  | 'tool' // a bare word that names a tool
  | 'type' // a known content type
  | 'candidate' // an unknown word where a channel or a content type may stand
  | 'free' // anything else: prose, noise

export interface Word {
  kind: WordKind
  /** As written. */
  text: string
  /** What it means: a recipient without its "to=", a channel as repaired, the tool it names (of an author: or ''). */
  value: string
  /** Where it stands: the segment's index, and the offset in that segment. */
  segment: number
  start: number
}

/** A header that is being written. Plain data. */
export interface HeaderDraft {
  opening: Opening
  segments: Segment[]
  words: Word[]
  /** Offset of the word being written in the last segment, or -1 between words. */
  wordStart: number
  /** UTF-16 units in all segments. */
  length: number
  /** Whether the model wrote any of it. */
  sampled: boolean
  /** Whether the host wrote any of its text, which is not the model's to be quoted. */
  isHosts: boolean
  /** Whether a marker came with nothing behind it. */
  hasEmptySegment: boolean
}

/** Where in the last segment the message's text begins, and why there. */
export interface TextStart {
  readonly at: number
  readonly code: 'missing_message' | 'header_too_long'
}

/** Recognises a bare word that names one of the request's tools, and gives its full recipient. */
export type ToolLookup = (word: string) => string | undefined

/** Longest header, in UTF-16 units: some 256 tokens, far beyond any real one. Models loop in headers without end. */
const LONGEST_HEADER = 1024

/** How much text without any marker to wait for one, in UTF-16 units: a few tokens. */
const LONGEST_STRAY_TEXT = 32

const WHITE = /\s/
const LETTER = /\p{L}/u

export function openHeader(opening: Opening): HeaderDraft {
  return {
    opening,
    segments: [{ marker: 'start', text: '' }],
    words: [],
    wordStart: -1,
    length: 0,
    sampled: false,
    isHosts: false,
    hasEmptySegment: false,
  }
}

/** Whether nothing at all is written yet. */
export function isEmptyHeader(draft: HeaderDraft): boolean {
  return draft.segments.length === 1 && draft.length === 0
}

/** Begins the next segment. Call {@link finishHeaderText} first. */
export function addHeaderMarker(draft: HeaderDraft, marker: 'channel' | 'constrain'): void {
  const last = draft.segments.at(-1) as Segment
  if (last.marker === 'start' || last.text !== '') draft.segments.push({ marker, text: '' })
  else {
    // An empty segment says nothing: without this an endless <|channel|><|constrain|> grows without bound.
    last.marker = marker
    draft.hasEmptySegment = true
  }
}

/**
 * Adds text to the last segment.
 *
 * @param isHosts - whether the host wrote it: it is then never prose
 * @returns where the message's text begins, if it is now certain that the header has ended without `<|message|>`
 */
export function addHeaderText(
  draft: HeaderDraft,
  text: string,
  tools: ToolLookup,
  isHosts: boolean,
): TextStart | undefined {
  const segment = draft.segments.at(-1) as Segment
  const from = segment.text.length
  const lengthBefore = draft.length - from
  draft.isHosts ||= isHosts
  segment.text += text
  draft.length += text.length
  for (let at = from; at < segment.text.length; at++) {
    if (WHITE.test(segment.text[at] as string)) {
      finishWord(draft, at, tools)
      if (!isHosts && isProse(draft)) return missingMessage(textStart(draft, at))
    } else {
      if (draft.wordStart < 0) draft.wordStart = at
      if (!isHosts && opensJson(draft, segment, at)) {
        if (draft.wordStart < at) finishWord(draft, at, tools)
        return missingMessage(addressesTool(draft) || isConstrainedType(draft) ? at : textStart(draft, at))
      }
    }
    if (!isHosts && isLongStrayText(draft, segment.text, at)) return missingMessage(textStart(draft, at))
    if (lengthBefore + at >= LONGEST_HEADER) return { at: textStart(draft, at), code: 'header_too_long' }
  }
  return undefined
}

/** Finishes the last word, as any marker does. Returns where the message's text begins, as {@link addHeaderText} does. */
export function finishHeaderText(draft: HeaderDraft, tools: ToolLookup, isHosts: boolean): TextStart | undefined {
  const end = (draft.segments.at(-1) as Segment).text.length
  finishWord(draft, end, tools)
  return !isHosts && isProse(draft) ? missingMessage(textStart(draft, end)) : undefined
}

function missingMessage(at: number): TextStart {
  return { at, code: 'missing_message' }
}

/** JSON where a word begins, or glued to a word that may end a header: `json{"location":...`, `to=functions.f{...` */
function opensJson(draft: HeaderDraft, { marker, text }: Segment, at: number): boolean {
  if (text[at] !== '{' && text[at] !== '[') return false
  const glued = text.slice(draft.wordStart, at)
  return glued === '' || isContentType(glued) || /^to=./.test(glued) || (marker === 'channel' && isChannel(glued))
}

/** Two loose words, one of them unknown, after a marker, in a header that addresses no tool. */
function isProse(draft: HeaderDraft): boolean {
  const segment = draft.segments.length - 1
  // Before the first marker one may still follow ("foo bar<|channel|>final"); a call's header is kept to its end.
  if (segment === 0 || addressesTool(draft)) return false
  const loose = looseWords(draft, segment)
  return loose.length >= 2 && hasUnknown(loose.filter(({ text }) => !isNoise(text)))
}

/** Text before the first marker that has gone on for too long to be a header, or junk between two messages. */
function isLongStrayText(draft: HeaderDraft, text: string, at: number): boolean {
  if (draft.segments.length > 1 || at < LONGEST_STRAY_TEXT) return false
  const loose = looseWords(draft, 0)
  const first = loose[0]
  if (first !== undefined && hasUnknown(loose)) {
    // After <|start|> an unknown first word may be a tool's name; a second one makes it prose.
    const isCertain = draft.opening !== 'start' || loose.length >= 2
    return isCertain && at - first.start >= LONGEST_STRAY_TEXT && !addressesTool(draft)
  }
  if (draft.wordStart < 0 || draft.opening === 'start') return false
  const partial = text.slice(draft.wordStart, at + 1)
  return partial.length > LONGEST_STRAY_TEXT && !/^(to=|functions\.|mcp\.|(assistant)+)/.test(partial)
}

/** Whether the words so far hold a recipient, or a "to" whose value may still follow. */
function addressesTool(draft: HeaderDraft): boolean {
  return draft.words.some(
    (word) =>
      word.kind === 'recipient' ||
      (word.kind === 'tool' && word.segment > 0 && isFirstOfSegment(draft.words, word)) ||
      (word.kind === 'to' && (word.text === 'to=' || word === draft.words.at(-1))),
  )
}

/** Whether the only unknown word of the last segment is the one behind `<|constrain|>`: any word may stand there. */
function isConstrainedType(draft: HeaderDraft): boolean {
  const segment = draft.segments.length - 1
  return draft.segments[segment]?.marker === 'constrain' && looseWords(draft, segment).length === 1
}

/**
 * The words of a segment that are prose if prose they are: all but those that mean something for certain where they
 * stand. "final", "json" and "python" may begin a sentence; only a `<|message|>` behind them makes them a header.
 */
export function looseWords(draft: HeaderDraft, segment: number): Word[] {
  const isMarked = segment > 0
  return draft.words.filter((word) => {
    if (word.segment !== segment) return false
    const isFirst = isFirstOfSegment(draft.words, word)
    switch (word.kind) {
      case 'recipient':
        return false
      case 'role':
        return draft.opening !== 'start' && roleOf(word.text) !== 'assistant'
      case 'channel':
      case 'tool':
        return !(isMarked && isFirst)
      case 'type':
        return !isMarked
      case 'to':
        return word.text !== 'to=' && !hasValue(draft.words, word)
      default:
        return true
    }
  })
}

/** Whether one of the words is no word of a header at all. */
export function hasUnknown(words: readonly Word[]): boolean {
  return words.some(({ kind }) => kind === 'free' || kind === 'candidate' || kind === 'author')
}

export function isFirstOfSegment(words: readonly Word[], word: Word): boolean {
  return words.find(({ segment }) => segment === word.segment) === word
}

/** Whether a "to" or "to =" is followed by its value. */
export function hasValue(words: readonly Word[], word: Word): boolean {
  const next = words[words.indexOf(word) + 1]
  if (next?.segment !== word.segment) return false
  return (next.kind === 'recipient' && next.text === next.value) || next.text.startsWith('=')
}

/** Where the text that is no header begins: at the first loose word of the last segment, or at the word at `at`. */
function textStart(draft: HeaderDraft, at: number): number {
  const segment = draft.segments.length - 1
  const first = looseWords(draft, segment)[0]
  const start = first?.start ?? (draft.wordStart < 0 ? at : draft.wordStart)
  // Where no header was written at all, the white space before the text is the text's.
  return segment === 0 && !draft.words.some((word) => word.start < start) ? 0 : start
}

function finishWord(draft: HeaderDraft, end: number, tools: ToolLookup): void {
  if (draft.wordStart < 0) return
  const segment = draft.segments.length - 1
  const text = (draft.segments[segment] as Segment).text.slice(draft.wordStart, end)
  const { kind, value } = readWord(text, draft, segment, tools)
  draft.words.push({ kind, text, value, segment, start: draft.wordStart })
  draft.wordStart = -1
}

/** What a word means where it stands. */
function readWord(
  text: string,
  draft: HeaderDraft,
  segment: number,
  tools: ToolLookup,
): { kind: WordKind; value: string } {
  const marker = draft.segments[segment]?.marker
  const last = draft.words.at(-1)
  const before = last?.segment === segment ? last : undefined
  const tool = toolName(text, tools)

  // "to=X", and the forms in which the value stands apart: "to = X", "to =X", "to= X".
  if (before?.text === 'to' && text.startsWith('=')) {
    return text === '=' ? { kind: 'to', value: '=' } : { kind: 'recipient', value: text.slice(1) }
  }
  if (before?.kind === 'to' && (before.text === '=' || (before.text === 'to=' && tool !== undefined))) {
    return { kind: 'recipient', value: text }
  }
  if (text === 'to' || text === 'to=') return { kind: 'to', value: text }
  if (text.startsWith('to=')) return { kind: 'recipient', value: text.slice('to='.length) }

  if (before === undefined) {
    if (marker === 'start') {
      if (/^(assistant)+$/.test(text)) return { kind: 'role', value: text }
      if (draft.opening !== 'turn' && roleOf(text) !== undefined) return { kind: 'role', value: text }
      if (draft.opening === 'start' && !isChannel(text)) return { kind: 'author', value: tool ?? '' }
    }
    if (marker === 'channel') {
      const channel = nearestChannel(text)
      if (channel !== undefined) return { kind: 'channel', value: channel }
    }
    if (marker === 'constrain') return { kind: isContentType(text) ? 'type' : 'candidate', value: text }
  }
  if (isChannel(text)) return { kind: 'channel', value: text }
  if (isContentType(text)) return { kind: 'type', value: text }
  if (tool !== undefined) return { kind: 'tool', value: tool }
  return { kind: marker === 'start' ? 'free' : 'candidate', value: text }
}

/** The recipient that a bare word names: a tool of the request, or of the namespaces every gpt-oss model knows. */
function toolName(word: string, tools: ToolLookup): string | undefined {
  return tools(word) ?? (/^(functions\..|python$|browser\..|container\..)/.test(word) ? word : undefined)
}

/** `assistant`, `user:alice` -> the role. */
export function roleOf(word: string): Role | undefined {
  return ROLES.find((role) => word === role || word.startsWith(`${role}:`))
}

/** Text that says nothing in a header: no letters, or a channel's name with noise around it ("––commentary"). */
export function isNoise(text: string): boolean {
  return text.search(LETTER) < 0 || isChannel(text.replace(/[^\p{L}]/gu, ''))
}

function isChannel(word: string): boolean {
  return CHANNELS.some((channel) => channel === word)
}

function isContentType(word: string): boolean {
  return CONTENT_TYPES.some((type) => type === word)
}

/** The channel a word stands for: in another case, with something behind it, cut short, or one letter off. */
function nearestChannel(word: string): Channel | undefined {
  const lower = word.toLowerCase()
  return (
    CHANNELS.find((channel) => lower.startsWith(channel)) ??
    CHANNELS.find((channel) => lower.length >= 4 && channel.startsWith(lower)) ??
    CHANNELS.find((channel) => isOneEditAway(lower, channel))
  )
}

function isOneEditAway(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return Math.max(a.length, b.length) - start - end <= 1
}
