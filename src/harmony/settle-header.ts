import type { HarmonyHeader, Repair, RepairCode } from './events.js'
import {
  type HeaderDraft,
  isEmptyHeader,
  isFirstOfSegment,
  LONGEST_HEADER,
  roleOf,
  type Segment,
  type Word,
} from './header.js'
import { repair } from './repairs.js'
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

/** A header closed by `<|message|>`. */
export function settleMessage(draft: HeaderDraft, context: HeaderContext): SettledHeader {
  const { header, loose, codes } = readHeader(draft, draft.words, context)
  const stray: Word[] = []
  for (const word of loose) {
    const marker = markerOf(draft, word)
    const isFirst = isFirstOfSegment(draft.words, word)
    if (word.kind === 'candidate' && marker === 'channel' && isFirst && header.channel === undefined) {
      // A call keeps the channel it was given; anything else has to be shown somewhere, and final is where.
      header.channel = addressesTool(header) ? word.text : 'final'
      codes.push('unknown_channel')
    } else if (word.kind === 'candidate' && header.contentType === undefined && (!isFirst || marker === 'constrain')) {
      if (!LETTER.test(word.text) || isMangledChannel(word.text)) stray.push(word)
      else {
        header.contentType = word.text
        if (marker === 'constrain') header.constrained = true
      }
    } else stray.push(word)
  }
  if (header.channel === undefined && hasSegment(draft, 'channel')) {
    codes.push('missing_channel')
    if (context.finalSeen && !addressesTool(header)) header.channel = 'analysis'
  }
  if (header.contentType !== undefined && header.recipient === undefined) codes.push('content_type_without_recipient')

  const text = stray.map((word) => word.text).join(' ')
  const isThought = header.channel === 'analysis' && header.recipient === undefined && LETTER.test(text)
  const repairs = codes.map((code) => repair(code))
  if (text !== '') repairs.push(repair('extra_header_text', isThought ? undefined : text))
  return { header, lead: isThought ? text : '', repairs }
}

/** A header that turned into the message's text at `textStart` of its last segment, without `<|message|>`. */
export function settleProse(draft: HeaderDraft, textStart: number, context: HeaderContext): SettledHeader {
  const last = draft.segments.length - 1
  const words = draft.words.filter((word) => word.segment < last || word.start < textStart)
  const { header, loose, codes } = readHeader(draft, words, context)
  const lead = (draft.segments[last] as Segment).text.slice(textStart)
  codes.push(draft.length > LONGEST_HEADER ? 'header_too_long' : 'missing_message')
  // Arguments of a call are JSON here; prose behind a recipient is the model thinking aloud, and no call was written.
  const isCall = addressesTool(header) && /^[{[]/.test(lead)
  if (!isCall && addressesTool(header)) asThought(header)
  const type = loose.find((word) => markerOf(draft, word) === 'constrain' && isFirstOfSegment(words, word))
  if (type !== undefined) header.contentType ??= type.text
  if (header.channel === undefined && hasSegment(draft, 'channel') && !isCall) header.channel = 'analysis'
  if (header.contentType !== undefined && header.recipient === undefined) codes.push('content_type_without_recipient')
  return {
    header,
    lead,
    repairs: withText(
      codes,
      loose.filter((word) => word !== type),
    ),
  }
}

/** A header that ended in something other than `<|message|>`, with no more than a word or two of text in it. */
export function settleUnclosed(
  draft: HeaderDraft,
  ending: Exclude<HeaderEnding, 'message'>,
  context: HeaderContext,
): SettledHeader {
  const { header, loose, codes } = readHeader(draft, draft.words, context)
  const last = draft.segments.length - 1
  const here = loose.filter((word) => word.segment === last)
  const elsewhere = loose.filter((word) => word.segment !== last)
  const { text } = draft.segments[last] as Segment
  const isBare = last === 0 && here[0] === draft.words[0]
  const lead = here[0] === undefined ? '' : text.slice(isBare ? 0 : here[0].start)

  const drop = (code: RepairCode): SettledHeader => {
    const dropped = [...elsewhere.map((word) => word.text), lead].filter((part) => part !== '').join(' ')
    return { lead: '', repairs: [repair(code, dropped)] }
  }
  const keep = (): SettledHeader => ({ header, lead, repairs: withText([...codes, 'missing_message'], elsewhere) })

  if (ending === 'start' && last === 0) {
    return drop(lead !== '' ? 'stray_text' : isEmptyHeader(draft) ? 'repeated_start' : 'dropped_header')
  }
  if (header.role !== 'assistant') return drop(ending === 'turn' ? 'truncated_header' : 'dropped_header')
  if (addressesTool(header) && ending === 'call') return keep()
  if (lead === '' || (addressesTool(header) && isTypeOnly(draft, here)))
    return drop(ending === 'turn' ? 'truncated_header' : 'dropped_header')
  if (ending === 'turn' && here.length === 1 && isUnfinished(draft, header, here[0] as Word))
    return drop('truncated_header')
  if (last === 0 && draft.opening === 'implied' && !LETTER_OR_DIGIT.test(lead)) return drop('stray_text')

  if (addressesTool(header)) asThought(header)
  else if (hasSegment(draft, 'channel')) {
    if (header.channel === undefined || (header.channel === 'commentary' && !LETTER.test(lead)))
      header.channel = 'analysis'
  }
  return keep()
}

/** Whether a single word at the very end may be a header word that was cut: "comm", "to", "js", an unknown channel. */
function isUnfinished(draft: HeaderDraft, header: HarmonyHeader, word: Word): boolean {
  if (addressesTool(header) || (hasSegment(draft, 'channel') && header.channel === undefined)) return true
  const known = [...ROLES, ...CHANNELS, ...(word.segment === 0 ? [] : CONTENT_TYPES), 'to=']
  return known.some((name) => name.startsWith(word.text))
}

/** Whether the only unknown word is the content type of a call that was never written: `<|constrain|>control<|end|>` */
function isTypeOnly(draft: HeaderDraft, words: readonly Word[]): boolean {
  const [word] = words
  return words.length === 1 && word !== undefined && markerOf(draft, word) === 'constrain'
}

/** Prose behind a recipient is reasoning; nobody is called. */
function asThought(header: HarmonyHeader): void {
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

/** "––commentary", "?final": a channel's name with noise around it says nothing new. */
function isMangledChannel(text: string): boolean {
  const letters = text.replace(/[^\p{L}]/gu, '')
  return CHANNELS.some((channel) => channel === letters)
}

function markerOf(draft: HeaderDraft, word: Word): Segment['marker'] {
  return (draft.segments[word.segment] as Segment).marker
}

function hasSegment(draft: HeaderDraft, marker: Segment['marker']): boolean {
  return draft.segments.some((segment) => segment.marker === marker)
}

function withText(codes: readonly RepairCode[], dropped: readonly Word[]): Repair[] {
  const repairs = codes.map((code) => repair(code))
  if (dropped.length > 0) repairs.push(repair('extra_header_text', dropped.map((word) => word.text).join(' ')))
  return repairs
}

/** What the words of a header say: its fields, and the words that found no place. */
interface Reading {
  header: HarmonyHeader
  loose: Word[]
  codes: RepairCode[]
}

function readHeader(draft: HeaderDraft, words: readonly Word[], context: HeaderContext): Reading {
  const header: HarmonyHeader = { role: 'assistant' }
  const loose: Word[] = []
  const codes: RepairCode[] = draft.opening === 'implied' ? ['missing_start'] : []
  const channels: Word[] = []
  const [first] = words
  const author = first?.kind === 'author' ? first : undefined

  for (const word of words) {
    const marker = markerOf(draft, word)
    switch (word.kind) {
      case 'author':
        break
      case 'role':
        readRole(header, word, codes, draft)
        break
      case 'channel':
        if (marker === 'start') {
          codes.push(word === first ? 'role_is_channel' : 'missing_channel')
          channels.unshift(word)
        } else if (marker === 'channel' && isFirstOfSegment(words, word)) channels.push(word)
        else loose.push(word)
        break
      case 'tool':
      case 'recipient':
        if (header.recipient !== undefined) codes.push('repeated_recipient')
        else header.recipient = word.value
        if (word.kind === 'tool') codes.push('bare_recipient')
        else if (word.text !== `to=${word.value}`) codes.push('unusual_header_spacing')
        if (header.contentType !== undefined) codes.push('misplaced_recipient')
        break
      case 'to':
        if (!hasValue(words, word)) {
          if (word.text === 'to=') header.recipient ??= ''
          else loose.push(word)
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
  if (author !== undefined) readAuthor(header, author, loose, codes, context)
  else if (draft.opening === 'start' && first?.segment !== 0) codes.push('unknown_role')
  if (header.role === 'tool') header.name ??= 'tool'
  readChannel(header, channels, codes)
  readSpelling(draft, codes)
  return { header, loose, codes }
}

function readRole(header: HarmonyHeader, word: Word, codes: RepairCode[], draft: HeaderDraft): void {
  const role = roleOf(word.text)
  if (role === undefined)
    codes.push('repeated_role') // assistantassistant
  else {
    header.role = role
    if (word.text !== role) {
      header.name = word.text.slice(role.length + 1)
      codes.push('named_role')
    }
    if (draft.opening === 'turn') codes.push('repeated_role')
  }
}

/** An unknown first word: a tool that speaks to the assistant, a tool that is meant to be called, or no role at all. */
function readAuthor(
  header: HarmonyHeader,
  author: Word,
  loose: Word[],
  codes: RepairCode[],
  context: HeaderContext,
): void {
  const { recipient } = header
  if (recipient === undefined ? context.isHost : addressesConversation(recipient)) {
    header.role = 'tool'
    header.name = author.text
    if (recipient === undefined) codes.push('missing_recipient')
  } else if (recipient === undefined && author.value !== '') {
    header.recipient = author.value
    codes.push('role_is_tool')
  } else {
    loose.unshift(author)
    codes.push('unknown_role')
  }
}

function readChannel(header: HarmonyHeader, channels: readonly Word[], codes: RepairCode[]): void {
  const channel = channels.at(-1)
  if (channel === undefined) return
  header.channel = channel.value
  if (channel.text !== channel.value) codes.push('misspelled_channel')
  if (channels.length > 1) codes.push('repeated_channel')
}

/** Spacing and spelling that the official parser takes amiss. */
function readSpelling(draft: HeaderDraft, codes: RepairCode[]): void {
  for (const [index, { text }] of draft.segments.entries()) {
    if (index > 0 && /^\s/.test(text)) codes.push('unusual_header_spacing')
    if (text.includes('<')) codes.push('marker_spelled_in_header')
  }
}

/** Whether a "to" or "to =" is followed by its value. */
function hasValue(words: readonly Word[], word: Word): boolean {
  const next = words[words.indexOf(word) + 1]
  if (next?.segment !== word.segment) return false
  return (next.kind === 'recipient' && next.text === next.value) || next.text.startsWith('=')
}
