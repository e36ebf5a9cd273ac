import {
  type HarmonyHeader,
  type Origin,
  type Repair,
  type RepairCode,
  type Role,
  repair,
  type Terminator,
} from './events.js'
import {
  type HeaderDraft,
  isNoise,
  isValue,
  LONGEST_HEADER,
  lastSegment,
  lettersOf,
  looseWords,
  quotedText,
  type Segment,
  type Word,
} from './header.js'
import { CHANNELS, CONTENT_TYPES, ROLES } from './vocabulary.js'

/** What became of a header: a message's header and the text that already belongs to the message, or nothing. */
export interface ResolvedHeader {
  /** Absent where the header was dropped. */
  header?: HarmonyHeader
  /** Text from the header that is the beginning of the message. */
  lead: string
  repairs: Repair[]
}

/**
 * A header closed by `<|message|>`.
 *
 *     <|channel|>commentary to=functions.f <|constrain|>json<|message|>{"x":1}<|call|>
 *                                                                      ^
 *
 * @param origin - who wrote the header: an unknown author is a tool where the host did
 * @param finalSeen - whether the response has a final message already: an empty channel is then not a second answer
 */
export function resolveHeader(draft: HeaderDraft, origin: Origin, finalSeen: boolean): ResolvedHeader {
  const reading = readHeader(draft, origin)
  const { header, loose, tell } = reading
  /** Whether any word may be the content type: nobody begins to talk where a tool is addressed, or speaks. */
  const isAddressed = addressesTool(header) || (header.role !== 'assistant' && header.recipient !== undefined)
  const dropped: Word[] = []
  for (const word of loose) {
    const { kind, text, marker, behind } = word
    const isUnknown = kind === 'unknown'
    if (isUnknown && behind === 'channel' && header.channel === undefined) {
      // A call keeps the channel it was given; anything else has to be shown somewhere, and final is where.
      header.channel = addressesTool(header) ? text : 'final'
      tell('unknown_channel', text)
    } else if (
      isUnknown &&
      header.contentType === undefined &&
      behind !== 'channel' &&
      marker !== 'start' &&
      !isNoise(text) &&
      (isAddressed || marker === 'constrain' || MEDIA_TYPE.test(text))
    ) {
      header.contentType = text
      if (marker === 'constrain') header.constrained = true
    } else dropped.push(word)
  }
  const isThought = finalSeen && header.channel === undefined
  const last = dropped.at(-1)
  // "final Sure<|message|>, here it is": the marker came a word late.
  const isLead =
    last?.kind === 'unknown' &&
    last.marker === 'channel' &&
    last.behind === undefined &&
    last === lastSegment(draft).words.at(-1) &&
    !isAddressed &&
    header.role === 'assistant' &&
    !isNoise(last.text)
  if (isLead) dropped.pop()
  const settled = conclude(draft, reading, isThought, dropped)
  if (!isLead) return settled
  tell('extra_header_text')
  return { ...settled, lead: lastSegment(draft).text.slice(last.start) }
}

/** What is a content type also where nobody is addressed: `text/html`, `application/ld+json`. */
const MEDIA_TYPE = /^[a-z]+\/[\w.+-]+$/

/**
 * A header without `<|message|>`: it turned into the message's text, in its last segment, or something else ended it,
 * with no more than a word or two of text in it. The text is taken off the draft.
 *
 *     <|channel|>final The answer is 42.<|return|>     <|channel|>commentary 2?<|end|>
 *                      ^                                                     ^
 *
 * @param at - where the text begins
 * @param ending - what ended the header; absent where the text goes on
 */
export function resolveUnclosed(draft: HeaderDraft, origin: Origin, at: number, ending?: Terminator): ResolvedHeader {
  const last = lastSegment(draft)
  const lead = last.text.slice(at)
  const text = looseWords(draft)
  last.words = last.words.filter((word) => word.start < at)
  // Only what stands before the text is the header's, however much of the text came in the same chunk.
  if (ending === undefined) last.text = last.text.slice(0, at)
  const reading = readHeader(draft, origin, lead !== '')
  const { header, tell } = reading

  const lost = ending && whyLost(draft, header, lead, text, ending)
  if (lost !== undefined) {
    return { lead: '', repairs: [repair(lost, quotedText(draft))] }
  }

  tell(draft.length > LONGEST_HEADER ? 'header_too_long' : 'missing_message')
  // Arguments of a call are JSON here, or end in <|call|>; other text behind a recipient is the model thinking aloud.
  const isCall = ending === undefined ? /^[{[]/.test(lead) : ending === 'call'
  if (addressesTool(header) && !isCall) {
    tell('extra_header_text', `to=${header.recipient}`)
    delete header.recipient
    header.channel = 'analysis'
  }
  const dropped: Word[] = []
  for (const word of reading.loose) {
    if (ending === undefined && header.contentType === undefined && word.behind === 'constrain') {
      header.contentType = word.text
      header.constrained = true
    } else dropped.push(word)
  }
  const isMumbled = ending !== undefined && header.channel === 'commentary' && lettersOf(lead) === ''
  return { ...conclude(draft, reading, header.channel === undefined || isMumbled, dropped), lead }
}

/** Settles what depends on everything else: whether it is a thought, and what is told of the words without a place. */
function conclude(
  draft: HeaderDraft,
  { header, repairs, tell }: Reading,
  mayBeThought: boolean,
  dropped: readonly Word[],
): ResolvedHeader {
  const { contentType: type, recipient } = header
  if (mayBeThought && hasChannelMarker(draft) && !addressesTool(header)) header.channel = 'analysis'
  // One that nobody knows may have been meant as text.
  const isKnown = CONTENT_TYPES.some((known) => known === type)
  if (type !== undefined && recipient === undefined) tell('content_type_without_recipient', isKnown ? '' : type)
  if (dropped.length > 0) tell('extra_header_text', dropped.map(({ text }) => text).join(' '))
  return { header, lead: '', repairs }
}

/** Why a header that something ended is no message, if it is none. */
function whyLost(
  draft: HeaderDraft,
  header: HarmonyHeader,
  lead: string,
  text: readonly Word[],
  ending: Terminator,
): RepairCode | undefined {
  const isStart = draft.segments.length === 1
  if (ending === 'implicit' && isStart) {
    return lead !== '' ? 'stray_text' : draft.length === 0 ? 'repeated_start' : 'dropped_header'
  }
  const isOthers = header.role !== 'assistant'
  const isCall = addressesTool(header)
  if (ending === 'call' && isCall && !isOthers) return undefined
  const isCut = ending === 'turn'
  const isHeaders =
    text.length === 1 &&
    (isCut ? mayGoOn(draft, header, text[0] as Word) : isCall && lastSegment(draft).marker === 'constrain')
  if (isOthers || lead === '' || isHeaders) return isCut ? 'truncated_header' : 'dropped_header'
  const isImplied = isStart && draft.opening === 'implied'
  // Not a constant of the module: looking all letters up takes 0.2 ms, and an import should not wait for it.
  return isImplied && !/[\p{L}\p{N}]/u.test(lead) ? 'stray_text' : undefined
}

/** Whether a single word at the very end may be a header word that was cut: "comm", "to", "js", an unknown channel. */
function mayGoOn(draft: HeaderDraft, header: HarmonyHeader, word: Word): boolean {
  if (addressesTool(header) || (hasChannelMarker(draft) && header.channel === undefined)) return true
  const known = [...ROLES, ...CHANNELS, ...(word.marker === 'start' ? [] : CONTENT_TYPES), 'to=']
  return known.some((name) => name.startsWith(word.text))
}

/** Whether somebody other than the conversation itself is addressed. */
function addressesTool({ recipient = '' }: HarmonyHeader): boolean {
  return recipient !== '' && recipient !== 'assistant' && recipient !== 'user'
}

function hasChannelMarker(draft: HeaderDraft): boolean {
  return draft.segments.some(({ marker }) => marker === 'channel')
}

type Tell = (code: RepairCode, text?: string) => void

/** What the words of a header say: its fields, the words that found no place, and what there is to tell. */
interface Reading {
  header: HarmonyHeader
  loose: Word[]
  repairs: Repair[]
  tell: Tell
}

/** @param hasText - whether the last segment turned out to hold the message's text */
function readHeader(draft: HeaderDraft, origin: Origin, hasText = false): Reading {
  const header: HarmonyHeader = { role: 'assistant' }
  const loose: Word[] = []
  const repairs: Repair[] = []
  const tell: Tell = (code, text) => void repairs.push(repair(code, text))
  const channels: Word[] = []
  /** Whether a content type or a word that nobody knows came: no recipient should stand behind it. */
  let isLate = false

  if (draft.opening === 'implied') tell('missing_start')
  for (const { words } of draft.segments) for (const [index, word] of words.entries()) readWord(word, words[index + 1])
  readAuthor(draft.segments[0]?.words[0])
  if (header.role === 'tool') header.name ??= 'tool'
  readChannel()
  readSegments()
  return { header, loose, repairs, tell }

  function readWord(word: Word, next: Word | undefined): void {
    const { kind, text, value, marker, behind } = word
    isLate ||= marker === 'constrain'
    switch (kind) {
      case 'author':
        break
      case 'role':
        readRole(word)
        break
      case 'channel':
        if (marker === 'start') {
          tell(behind === 'start' ? 'role_is_channel' : 'missing_channel')
          channels.unshift(word)
        } else if (behind === 'channel') channels.push(word)
        else loose.push(word)
        break
      case 'tool':
      case 'recipient':
        if (header.recipient !== undefined) tell('repeated_recipient', text)
        else header.recipient = value
        if (kind === 'tool') tell('bare_recipient')
        else if (text !== `to=${value}`) tell('unusual_header_spacing')
        if (isLate) tell('misplaced_recipient')
        break
      case 'to':
        if (isValue(next)) break
        if (text !== 'to=') loose.push(word)
        else if (header.recipient !== undefined) tell('repeated_recipient', text)
        else {
          header.recipient = ''
          if (isLate) tell('misplaced_recipient')
        }
        break
      case 'type':
        isLate = true
        if (header.contentType !== undefined) loose.push(word)
        else {
          header.contentType = value
          if (marker === 'constrain') header.constrained = true
        }
        break
      default:
        isLate ||= behind !== 'channel' && !isNoise(text)
        loose.push(word)
    }
  }

  function readRole({ text, value }: Word): void {
    if (value === '' || draft.opening === 'turn') tell('repeated_role')
    if (value === '') return // assistantassistant
    header.role = value as Role
    if (text === value) return
    header.name = text.slice(value.length + 1)
    tell('named_role')
  }

  /** An unknown first word: a tool that speaks to the assistant, a tool that is meant to be called, or no role at all. */
  function readAuthor(first: Word | undefined): void {
    const { recipient } = header
    if (first?.kind === 'author') {
      if (recipient === undefined ? origin === 'host' : !addressesTool(header)) {
        header.role = 'tool'
        header.name = first.text
        if (recipient === undefined) tell('missing_recipient')
      } else if (recipient === undefined && first.value !== '') {
        header.recipient = first.value
        tell('role_is_tool')
      } else {
        loose.unshift(first)
        tell('unknown_role')
      }
    } else if (draft.opening === 'start' && first?.kind !== 'role' && first?.kind !== 'channel') tell('unknown_role')
  }

  function readChannel(): void {
    const channel = channels.pop()
    if (channel === undefined) return
    header.channel = channel.value
    if (channel.text !== channel.value) tell('misspelled_channel', channel.text)
    if (channels.length > 0) tell('repeated_channel', channels.map(({ text }) => text).join(' '))
  }

  /** Empty segments, spacing and spelling: what the official parser takes amiss. */
  function readSegments(): void {
    for (const { marker, words } of draft.segments.slice(0, hasText ? -1 : undefined)) {
      const kind = words[0]?.kind
      const isPlaced = kind === 'channel' || kind === 'unknown' || (kind === 'tool' && header.channel !== undefined)
      if (marker === 'constrain' && kind === undefined) tell('stray_marker')
      if (marker === 'channel' && !isPlaced) tell('missing_channel')
    }
    if (draft.hasEmptySegment) tell('stray_marker')
    // Parsers do not agree on whether white space beyond ASCII cuts words.
    const isUnusual = ({ text }: Segment, index: number): boolean =>
      (index > 0 && /^\s/.test(text)) || /[^\S \t\n\r\f]|\u0085/.test(text)
    if (draft.segments.some(isUnusual)) tell('unusual_header_spacing')
    if (draft.segments.some(({ text }) => text.includes('<'))) tell('marker_spelled_in_header')
  }
}
