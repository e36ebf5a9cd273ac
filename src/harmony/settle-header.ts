import { type HarmonyHeader, type Repair, type RepairCode, repair } from './events.js'
import {
  type HeaderDraft,
  isEmptyHeader,
  isFirstOfSegment,
  LONGEST_HEADER,
  roleOf,
  type Segment,
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

/** A header closed by `<|message|>`. */
export function settleMessage(draft: HeaderDraft, context: HeaderContext): SettledHeader {
  const { header, loose, repairs } = readHeader(draft, draft.words, context)
  const stray: Word[] = []
  for (const word of loose) {
    const marker = markerOf(draft, word)
    const isFirst = isFirstOfSegment(draft.words, word)
    if (word.kind === 'candidate' && marker === 'channel' && isFirst && header.channel === undefined) {
      // A call keeps the channel it was given; anything else has to be shown somewhere, and final is where.
      header.channel = addressesTool(header) ? word.text : 'final'
      repairs.push(repair('unknown_channel', word.text))
    } else if (word.kind === 'candidate' && header.contentType === undefined && (!isFirst || marker === 'constrain')) {
      if (!LETTER.test(word.text) || isMangledChannel(word.text)) stray.push(word)
      else {
        header.contentType = word.text
        if (marker === 'constrain') header.constrained = true
      }
    } else stray.push(word)
  }
  if (header.channel === undefined && hasSegment(draft, 'channel')) {
    repairs.push(repair('missing_channel'))
    if (context.finalSeen && !addressesTool(header)) header.channel = 'analysis'
  }
  if (header.contentType !== undefined && header.recipient === undefined)
    repairs.push(repair('content_type_without_recipient'))

  const text = stray.map((word) => word.text).join(' ')
  const isThought = header.channel === 'analysis' && header.recipient === undefined && LETTER.test(text)
  if (text !== '') repairs.push(repair('extra_header_text', isThought ? undefined : text))
  return { header, lead: isThought ? text : '', repairs }
}

/** A header that turned into the message's text at `textStart` of its last segment, without `<|message|>`. */
export function settleProse(draft: HeaderDraft, textStart: number, context: HeaderContext): SettledHeader {
  const last = draft.segments.length - 1
  const words = draft.words.filter((word) => word.segment < last || word.start < textStart)
  const { header, loose, repairs } = readHeader(draft, words, context)
  const lead = (draft.segments[last] as Segment).text.slice(textStart)
  repairs.push(repair(draft.length > LONGEST_HEADER ? 'header_too_long' : 'missing_message'))
  // Arguments of a call are JSON here; prose behind a recipient is the model thinking aloud, and no call was written.
  const isCall = addressesTool(header) && /^[{[]/.test(lead)
  if (!isCall && addressesTool(header)) asThought(header)
  const isType = (word: Word): boolean => markerOf(draft, word) === 'constrain' && isFirstOfSegment(words, word)
  const type = header.contentType === undefined ? loose.find(isType) : undefined
  if (type !== undefined) header.contentType = type.text
  if (header.channel === undefined && hasSegment(draft, 'channel') && !isCall) header.channel = 'analysis'
  if (header.contentType !== undefined && header.recipient === undefined)
    repairs.push(repair('content_type_without_recipient'))
  tellDropped(
    repairs,
    loose.filter((word) => word !== type),
  )
  return { header, lead, repairs }
}

/** A header that ended in something other than `<|message|>`, with no more than a word or two of text in it. */
export function settleUnclosed(
  draft: HeaderDraft,
  ending: Exclude<HeaderEnding, 'message'>,
  context: HeaderContext,
): SettledHeader {
  const { header, loose, repairs } = readHeader(draft, draft.words, context)
  const last = draft.segments.length - 1
  const here = loose.filter((word) => word.segment === last)
  const elsewhere = loose.filter((word) => word.segment !== last)
  const { text } = draft.segments[last] as Segment
  const isBare = last === 0 && here[0] === draft.words[0]
  const lead = here[0] === undefined ? '' : text.slice(isBare ? 0 : here[0].start)

  const drop = (code: RepairCode): SettledHeader => ({
    lead: '',
    repairs: [repair(code, draft.segments.map((segment) => segment.text).join(' '))],
  })
  const keep = (): SettledHeader => {
    repairs.push(repair('missing_message'))
    tellDropped(repairs, elsewhere)
    return { header, lead, repairs }
  }

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

function tellDropped(repairs: Repair[], words: readonly Word[]): void {
  if (words.length > 0) repairs.push(repair('extra_header_text', words.map((word) => word.text).join(' ')))
}

/** What the words of a header say: its fields, and the words that found no place. */
interface Reading {
  header: HarmonyHeader
  loose: Word[]
  repairs: Repair[]
}

function readHeader(draft: HeaderDraft, words: readonly Word[], context: HeaderContext): Reading {
  const header: HarmonyHeader = { role: 'assistant' }
  const loose: Word[] = []
  const repairs: Repair[] = draft.opening === 'implied' ? [repair('missing_start')] : []
  const channels: Word[] = []
  const [first] = words
  const author = first?.kind === 'author' ? first : undefined

  for (const word of words) {
    const marker = markerOf(draft, word)
    switch (word.kind) {
      case 'author':
        break
      case 'role':
        readRole(header, word, repairs, draft)
        break
      case 'channel':
        if (marker === 'start') {
          repairs.push(repair(word === first ? 'role_is_channel' : 'missing_channel'))
          channels.unshift(word)
        } else if (marker === 'channel' && isFirstOfSegment(words, word)) channels.push(word)
        else loose.push(word)
        break
      case 'tool':
      case 'recipient':
        if (header.recipient !== undefined) repairs.push(repair('repeated_recipient', word.text))
        else header.recipient = word.value
        if (word.kind === 'tool') repairs.push(repair('bare_recipient'))
        else if (word.text !== `to=${word.value}`) repairs.push(repair('unusual_header_spacing'))
        if (header.contentType !== undefined) repairs.push(repair('misplaced_recipient'))
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
  if (author !== undefined) readAuthor(header, author, loose, repairs, context)
  else if (draft.opening === 'start' && first?.segment !== 0) repairs.push(repair('unknown_role'))
  if (header.role === 'tool') header.name ??= 'tool'
  readChannel(header, channels, repairs)
  readSpelling(draft, repairs)
  return { header, loose, repairs }
}

function readRole(header: HarmonyHeader, word: Word, repairs: Repair[], draft: HeaderDraft): void {
  const role = roleOf(word.text)
  if (role === undefined)
    repairs.push(repair('repeated_role')) // assistantassistant
  else {
    header.role = role
    if (word.text !== role) {
      header.name = word.text.slice(role.length + 1)
      repairs.push(repair('named_role'))
    }
    if (draft.opening === 'turn') repairs.push(repair('repeated_role'))
  }
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
    if (recipient === undefined) repairs.push(repair('missing_recipient'))
  } else if (recipient === undefined && author.value !== '') {
    header.recipient = author.value
    repairs.push(repair('role_is_tool'))
  } else {
    loose.unshift(author)
    repairs.push(repair('unknown_role'))
  }
}

function readChannel(header: HarmonyHeader, channels: readonly Word[], repairs: Repair[]): void {
  const channel = channels.at(-1)
  if (channel === undefined) return
  header.channel = channel.value
  if (channel.text !== channel.value) repairs.push(repair('misspelled_channel', channel.text))
  const others = channels.slice(0, -1).map((word) => word.text)
  if (others.length > 0) repairs.push(repair('repeated_channel', others.join(' ')))
}

/** Spacing and spelling that the official parser takes amiss. */
function readSpelling(draft: HeaderDraft, repairs: Repair[]): void {
  for (const [index, { text }] of draft.segments.entries()) {
    if (index > 0 && /^\s/.test(text)) repairs.push(repair('unusual_header_spacing'))
    if (text.includes('<')) repairs.push(repair('marker_spelled_in_header'))
  }
}

/** Whether a "to" or "to =" is followed by its value. */
function hasValue(words: readonly Word[], word: Word): boolean {
  const next = words[words.indexOf(word) + 1]
  if (next?.segment !== word.segment) return false
  return (next.kind === 'recipient' && next.text === next.value) || next.text.startsWith('=')
}
