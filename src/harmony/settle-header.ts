import { type HarmonyHeader, type Repair, type RepairCode, repair } from './events.js'
import {
  type HeaderDraft,
  hasUnknown,
  hasValue,
  isEmptyHeader,
  isFirstOfSegment,
  isNoise,
  looseWords,
  roleOf,
  type Segment,
  type TextStart,
  type Word,
} from './header.js'
import { CHANNELS, CONTENT_TYPES, ROLES } from './vocabulary.js'

/** What ended a header: `<|message|>`, `<|call|>`, another stop token, the next `<|start|>`, or the end of the turn. */
export type HeaderEnding = 'message' | 'call' | 'stop' | 'start' | 'turn'

/** What the parser knows besides the header's own words. */
export interface HeaderContext {
  /** Whether the response has a final message already: an empty channel is then not a second answer. */
  finalSeen: boolean
  /** Whether the host wrote the header: an unknown author is then a tool. */
  isHost: boolean
}

/** What became of a header: a message's header and the text that already belongs to the message, or nothing. */
export interface SettledHeader {
  /** Absent where the header was dropped. */
  header?: HarmonyHeader
  /** Text from the header that is the beginning of the message. */
  lead: string
  repairs: Repair[]
}

const LETTER = /\p{L}/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/**
 * A header closed by `<|message|>`.
 *
 *     <|channel|>commentary to=functions.f <|constrain|>json<|message|>{"x":1}<|call|>
 *                                                                      ^
 */
export function settleMessage(draft: HeaderDraft, context: HeaderContext): SettledHeader {
  const { header, loose, repairs } = readHeader(draft, draft.words, context)
  const noise: string[] = []
  const prose: string[] = []
  for (const word of loose) {
    const marker = markerOf(draft, word)
    const isFirst = isFirstOfSegment(draft.words, word)
    if (word.kind === 'candidate' && marker === 'channel' && isFirst && header.channel === undefined) {
      // A call keeps the channel it was given; anything else has to be shown somewhere, and final is where.
      header.channel = addressesTool(header) ? word.text : 'final'
      tell(repairs, 'unknown_channel', word.text)
    } else if (isNoise(word.text)) noise.push(word.text)
    else if (word.kind === 'candidate' && header.contentType === undefined && (!isFirst || marker === 'constrain')) {
      header.contentType = word.text
      if (marker === 'constrain') header.constrained = true
    } else prose.push(word.text)
  }
  if (header.channel === undefined && hasSegment(draft, 'channel')) {
    if (context.finalSeen && !addressesTool(header)) header.channel = 'analysis'
  }
  tellContentType(header, repairs)
  // What was thought in the header and what is thought behind it belong together.
  const isThought = header.channel === 'analysis' && header.recipient === undefined
  const dropped = isThought ? noise : [...noise, ...prose]
  if (noise.length + prose.length > 0) tell(repairs, 'extra_header_text', dropped.join(' '))
  return { header, lead: isThought ? prose.join(' ') : '', repairs }
}

/**
 * A header that turned into the message's text, in its last segment, without `<|message|>`.
 *
 *     <|channel|>final The answer is 42.<|return|>
 *                      ^
 */
export function settleProse(draft: HeaderDraft, text: TextStart, context: HeaderContext): SettledHeader {
  const last = draft.segments.at(-1) as Segment
  const lead = last.text.slice(text.at)
  // Only what stands before the text is the header's, however much of the text came in the same chunk.
  const before: HeaderDraft = {
    ...draft,
    segments: [...draft.segments.slice(0, -1), { ...last, text: last.text.slice(0, text.at) }],
  }
  const words = draft.words.filter((word) => word.segment < draft.segments.length - 1 || word.start < text.at)
  const { header, loose, repairs } = readHeader(before, words, context, draft.segments.length - 1)
  tell(repairs, text.code)
  // Arguments of a call are JSON here; prose behind a recipient is the model thinking aloud, and no call was written.
  const isCall = addressesTool(header) && /^[{[]/.test(lead)
  if (!isCall) asThought(header, repairs)
  const isType = (word: Word): boolean => markerOf(draft, word) === 'constrain' && isFirstOfSegment(words, word)
  const type = header.contentType === undefined ? loose.find(isType) : undefined
  if (type !== undefined) header.contentType = type.text
  if (header.channel === undefined && hasSegment(draft, 'channel') && !isCall) header.channel = 'analysis'
  tellContentType(header, repairs)
  tellDropped(
    repairs,
    loose.filter((word) => word !== type),
  )
  return { header, lead, repairs }
}

/**
 * A header that ended in something other than `<|message|>`, with no more than a word or two of text in it.
 *
 *     <|channel|>commentary 2?<|end|>
 *                              ^
 */
export function settleUnclosed(
  draft: HeaderDraft,
  ending: Exclude<HeaderEnding, 'message'>,
  context: HeaderContext,
): SettledHeader {
  const last = draft.segments.length - 1
  const { text } = draft.segments[last] as Segment
  const unknown = looseWords(draft, last)
  const here = hasUnknown(unknown) ? unknown : []
  const isText = (word: Word): boolean => here[0] !== undefined && word.segment === last && word.start >= here[0].start
  const words = draft.words.filter((word) => !isText(word))
  const { header, loose, repairs } = readHeader(draft, words, context, here[0] === undefined ? -1 : last)
  const lead = here[0] === undefined ? '' : text.slice(last === 0 && here[0] === draft.words[0] ? 0 : here[0].start)

  const isCut = ending === 'turn'
  const isOthers = header.role !== 'assistant'
  const isCall = addressesTool(header)
  const isBareCall = isCall && ending === 'call' && !isOthers
  const isTypeOnly = isCall && here.length === 1 && draft.segments[last]?.marker === 'constrain'
  const isUnfinished = isCut && here.length === 1 && mayGoOn(draft, header, here[0] as Word)
  const isJunk = last === 0 && draft.opening === 'implied' && !LETTER_OR_DIGIT.test(lead)

  let lost: RepairCode | undefined
  if (ending === 'start' && last === 0) {
    lost = lead !== '' ? 'stray_text' : isEmptyHeader(draft) ? 'repeated_start' : 'dropped_header'
  } else if (!isBareCall) {
    if (isOthers || lead === '' || isTypeOnly || isUnfinished) lost = isCut ? 'truncated_header' : 'dropped_header'
    else if (isJunk) lost = 'stray_text'
  }
  if (lost !== undefined) {
    const written = draft.segments.map((segment) => segment.text).filter((part) => part !== '')
    return { lead: '', repairs: [repair(lost, draft.isHosts ? '' : written.join(' '))] }
  }

  const isMumbled = header.channel === 'commentary' && !LETTER.test(lead)
  if (!isBareCall && hasSegment(draft, 'channel') && (header.channel === undefined || isMumbled))
    header.channel = 'analysis'
  tell(repairs, 'missing_message')
  if (!isBareCall) asThought(header, repairs)
  tellContentType(header, repairs)
  tellDropped(repairs, loose)
  return { header, lead, repairs }
}

/** Whether a single word at the very end may be a header word that was cut: "comm", "to", "js", an unknown channel. */
function mayGoOn(draft: HeaderDraft, header: HarmonyHeader, word: Word): boolean {
  if (addressesTool(header) || (hasSegment(draft, 'channel') && header.channel === undefined)) return true
  const known = [...ROLES, ...CHANNELS, ...(word.segment === 0 ? [] : CONTENT_TYPES), 'to=']
  return known.some((name) => name.startsWith(word.text))
}

/** Prose behind a recipient is reasoning; nobody is called. */
function asThought(header: HarmonyHeader, repairs: Repair[]): void {
  if (!addressesTool(header)) return
  tell(repairs, 'extra_header_text', `to=${header.recipient}`)
  delete header.recipient
  header.channel = 'analysis'
}

/** Whether somebody other than the conversation itself is addressed. */
function addressesTool(header: HarmonyHeader): boolean {
  return header.recipient !== undefined && !addressesConversation(header.recipient)
}

function addressesConversation(recipient: string): boolean {
  return recipient === 'assistant' || recipient === 'user' || recipient === ''
}

function markerOf(draft: HeaderDraft, word: Word): Segment['marker'] {
  return (draft.segments[word.segment] as Segment).marker
}

function hasSegment(draft: HeaderDraft, marker: Segment['marker']): boolean {
  return draft.segments.some((segment) => segment.marker === marker)
}

function tell(repairs: Repair[], code: RepairCode, text?: string): void {
  repairs.push(repair(code, text))
}

function tellContentType(header: HarmonyHeader, repairs: Repair[]): void {
  if (header.contentType !== undefined && header.recipient === undefined) {
    tell(repairs, 'content_type_without_recipient')
  }
}

function tellDropped(repairs: Repair[], words: readonly Word[]): void {
  if (words.length > 0) tell(repairs, 'extra_header_text', words.map((word) => word.text).join(' '))
}

/** What the words of a header say: its fields, and the words that found no place. */
interface Reading {
  header: HarmonyHeader
  loose: Word[]
  repairs: Repair[]
}

/** @param textSegment - the segment that turned out to hold the message's text, or -1 */
function readHeader(draft: HeaderDraft, words: readonly Word[], context: HeaderContext, textSegment = -1): Reading {
  const header: HarmonyHeader = { role: 'assistant' }
  const loose: Word[] = []
  const repairs: Repair[] = draft.opening === 'implied' ? [repair('missing_start')] : []
  const channels: Word[] = []
  const [first] = words
  const author = first?.kind === 'author' ? first : undefined

  for (const [index, word] of words.entries()) {
    const marker = markerOf(draft, word)
    switch (word.kind) {
      case 'author':
        break
      case 'role':
        readRole(header, word, repairs, draft)
        break
      case 'channel':
        if (marker === 'start') {
          tell(repairs, word === first ? 'role_is_channel' : 'missing_channel')
          channels.unshift(word)
        } else if (marker === 'channel' && isFirstOfSegment(words, word)) channels.push(word)
        else loose.push(word)
        break
      case 'tool':
      case 'recipient':
        if (header.recipient !== undefined) tell(repairs, 'repeated_recipient', word.text)
        else header.recipient = word.value
        if (word.kind === 'tool') tell(repairs, 'bare_recipient')
        else if (word.text !== `to=${word.value}`) tell(repairs, 'unusual_header_spacing')
        if (isMisplaced(draft, words.slice(0, index + 1))) tell(repairs, 'misplaced_recipient')
        break
      case 'to':
        if (hasValue(words, word)) break
        if (word.text !== 'to=') loose.push(word)
        else if (header.recipient !== undefined) tell(repairs, 'repeated_recipient', word.text)
        else {
          header.recipient = ''
          if (isMisplaced(draft, words.slice(0, index + 1))) tell(repairs, 'misplaced_recipient')
        }
        break
      case 'type':
        if (header.contentType !== undefined) loose.push(word)
        else {
          header.contentType = word.value
          if (marker === 'constrain') header.constrained = true
        }
        break
      default:
        loose.push(word)
    }
  }
  if (author !== undefined) readAuthor(header, author, loose, repairs, context)
  else if (draft.opening === 'start' && (first?.segment !== 0 || first.kind === 'recipient' || first.kind === 'to')) {
    tell(repairs, 'unknown_role')
  }
  if (header.role === 'tool') header.name ??= 'tool'
  readChannel(header, channels, repairs)
  readSegments(draft, header, repairs, textSegment)
  return { header, loose, repairs }
}

/** Whether the last word, a recipient, stands behind a content type or a word that nobody knows. */
function isMisplaced(draft: HeaderDraft, words: readonly Word[]): boolean {
  return words.some((word, index) => {
    if (markerOf(draft, word) === 'constrain') return true
    if (index === words.length - 1 || isNoise(word.text)) return false
    const isChannelsPlace = markerOf(draft, word) === 'channel' && isFirstOfSegment(words, word)
    return word.kind === 'type' || (!isChannelsPlace && (word.kind === 'candidate' || word.kind === 'free'))
  })
}

function readRole(header: HarmonyHeader, word: Word, repairs: Repair[], draft: HeaderDraft): void {
  const role = roleOf(word.text)
  if (role === undefined || draft.opening === 'turn') tell(repairs, 'repeated_role')
  if (role === undefined) return // assistantassistant
  header.role = role
  if (word.text === role) return
  header.name = word.text.slice(role.length + 1)
  tell(repairs, 'named_role')
}

/** An unknown first word: a tool that speaks to the assistant, a tool that is meant to be called, or no role at all. */
function readAuthor(
  header: HarmonyHeader,
  author: Word,
  loose: Word[],
  repairs: Repair[],
  context: HeaderContext,
): void {
  const { recipient } = header
  if (recipient === undefined ? context.isHost : addressesConversation(recipient)) {
    header.role = 'tool'
    header.name = author.text
    if (recipient === undefined) tell(repairs, 'missing_recipient')
  } else if (recipient === undefined && author.value !== '') {
    header.recipient = author.value
    tell(repairs, 'role_is_tool')
  } else {
    loose.unshift(author)
    tell(repairs, 'unknown_role')
  }
}

function readChannel(header: HarmonyHeader, channels: readonly Word[], repairs: Repair[]): void {
  const channel = channels.at(-1)
  if (channel === undefined) return
  header.channel = channel.value
  if (channel.text !== channel.value) tell(repairs, 'misspelled_channel', channel.text)
  const others = channels.slice(0, -1).map((word) => word.text)
  if (others.length > 0) tell(repairs, 'repeated_channel', others.join(' '))
}

/** Empty segments, spacing and spelling: what the official parser takes amiss. */
function readSegments(draft: HeaderDraft, header: HarmonyHeader, repairs: Repair[], textSegment: number): void {
  let isUnusual = false
  let isSpelled = false
  for (const [index, { marker, text }] of draft.segments.entries()) {
    const kind = draft.words.find((word) => word.segment === index)?.kind
    if (index !== textSegment) {
      const isPlaced = kind === 'channel' || kind === 'candidate' || (kind === 'tool' && header.channel !== undefined)
      if (marker === 'constrain' && kind === undefined) tell(repairs, 'stray_marker')
      if (marker === 'channel' && !isPlaced) tell(repairs, 'missing_channel')
    }
    // Parsers do not agree on whether white space beyond ASCII cuts words.
    isUnusual ||= (index > 0 && /^\s/.test(text)) || /[^\S \t\n\r\f]|\u0085/.test(text)
    isSpelled ||= text.includes('<')
  }
  if (draft.hasEmptySegment) tell(repairs, 'stray_marker')
  if (isUnusual) tell(repairs, 'unusual_header_spacing')
  if (isSpelled) tell(repairs, 'marker_spelled_in_header')
}
