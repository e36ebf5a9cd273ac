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
  lastSegment,
  looseWords,
  MAX_HEADER_LENGTH,
  quotedText,
  type Segment,
  wordsOf,
} from './header.js'
import { isNoise, isValue, lettersOf, type Word } from './header-words.js'
import { CHANNELS, CONTENT_TYPES, ROLES } from './vocabulary.js'

/** A resolved header: the message's header and the text that already belongs to the message, or nothing. */
export interface ResolvedHeader {
  /** Absent if the header was dropped. */
  header?: HarmonyHeader
  /** Text that stood in the header but begins the message. */
  lead: string
  repairs: Repair[]
}

/**
 * Resolves a header that `<|message|>` closed.
 *
 *     <|channel|>commentary to=functions.f <|constrain|>json<|message|>{"x":1}<|call|>
 *                                                           ^
 *
 * @param origin - who wrote the header: an unknown author is a tool if the host did
 * @param hasAnswer - whether the response already has an answer: an empty channel then does not make a second one
 */
export function resolveHeader(draft: HeaderDraft, origin: Origin, hasAnswer: boolean): ResolvedHeader {
  const reading = readHeader(draft, origin)
  const { header, loose, report } = reading
  /** Whether any word may be the content type: a message to or from a tool does not begin with prose. */
  const isAddressed = addressesTool(header) || (header.role !== 'assistant' && header.recipient !== undefined)
  const dropped: Word[] = []
  for (const word of loose) {
    const { kind, text, marker, after } = word
    const isUnknown = kind === 'unknown'
    if (isUnknown && after === 'channel' && header.channel === undefined) {
      // A call keeps its channel; anything else has to reach the user, which the final channel ensures.
      header.channel = addressesTool(header) ? text : 'final'
      report('unknown_channel', text)
    } else if (
      isUnknown &&
      header.contentType === undefined &&
      after !== 'channel' &&
      marker !== 'start' &&
      !isNoise(text) &&
      (isAddressed || marker === 'constrain' || MEDIA_TYPE.test(text))
    ) {
      header.contentType = text
      if (marker === 'constrain') header.constrained = true
    } else dropped.push(word)
  }
  const isThought = hasAnswer && header.channel === undefined
  const last = dropped.at(-1)
  //     <|channel|>final Sure<|message|>, here it is     the marker came one word late
  //                      ^^^^
  const isLead =
    last?.kind === 'unknown' &&
    last.marker === 'channel' &&
    last.after === undefined &&
    last === lastSegment(draft).words.at(-1) &&
    !isAddressed &&
    header.role === 'assistant' &&
    !isNoise(last.text)
  if (isLead) dropped.pop()
  const resolved = completeHeader(draft, reading, isThought, dropped)
  if (!isLead) return resolved
  report('extra_header_text')
  return { ...resolved, lead: lastSegment(draft).text.slice(last.start) }
}

/**
 * Matches a media type, which counts as a content type even if no tool is addressed: `text/html`,
 * `application/ld+json`.
 */
const MEDIA_TYPE = /^[a-z]+\/[\w.+-]+$/

/**
 * Resolves a header without `<|message|>`: it turned into the message's text in its last segment, or another token
 * ended it after at most two words of text. Removes the text from the draft.
 *
 *     <|channel|>final The answer is 42.<|return|>     <|channel|>commentary 2?<|end|>
 *                      ^                                                     ^
 *
 * @param at - where the text begins
 * @param ending - the end of the header; absent if the text continues
 */
export function resolveUnclosed(draft: HeaderDraft, origin: Origin, at: number, ending?: Terminator): ResolvedHeader {
  const last = lastSegment(draft)
  const lead = last.text.slice(at)
  const text = looseWords(draft)
  last.words = last.words.filter((word) => word.start < at)
  // The chunk in which the text began may hold more of it: only the part before belongs to the header.
  if (ending === undefined) last.text = last.text.slice(0, at)
  const reading = readHeader(draft, origin, lead !== '')
  const { header, report } = reading

  const lost = ending && whyLost(draft, header, lead, text, ending)
  if (lost !== undefined) {
    return { lead: '', repairs: [repair(lost, quotedText(draft))] }
  }

  report(draft.length > MAX_HEADER_LENGTH ? 'header_too_long' : 'missing_message')
  // The arguments of a call are JSON here, or end in <|call|>; other text after a recipient is the model thinking
  // aloud.
  const isCall = ending === undefined ? /^[{[]/.test(lead) : ending === 'call'
  if (addressesTool(header) && !isCall) {
    report('extra_header_text', `to=${header.recipient}`)
    delete header.recipient
    header.channel = 'analysis'
  }
  const dropped: Word[] = []
  for (const word of reading.loose) {
    if (ending === undefined && header.contentType === undefined && word.after === 'constrain') {
      header.contentType = word.text
      header.constrained = true
    } else dropped.push(word)
  }
  const isNoiseOnly = ending !== undefined && header.channel === 'commentary' && lettersOf(lead) === ''
  return { ...completeHeader(draft, reading, header.channel === undefined || isNoiseOnly, dropped), lead }
}

/**
 * Completes the fields that depend on all words: whether it is a thought, and the repairs for words without a place.
 */
function completeHeader(
  draft: HeaderDraft,
  { header, repairs, report }: HeaderReading,
  mayBeThought: boolean,
  dropped: readonly Word[],
): ResolvedHeader {
  const { contentType: type, recipient } = header
  if (mayBeThought && hasChannelMarker(draft) && !addressesTool(header)) header.channel = 'analysis'
  // An unknown content type may have been meant as text: the repair quotes it.
  const isKnown = CONTENT_TYPES.some((known) => known === type)
  if (type !== undefined && recipient === undefined) report('content_type_without_recipient', isKnown ? '' : type)
  if (dropped.length > 0) report('extra_header_text', dropped.map(({ text }) => text).join(' '))
  return { header, lead: '', repairs }
}

/** Returns why a header that another token ended makes no message; `undefined` if it makes one. */
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
  // Not a constant of the module: compiling the classes takes 0.2 ms of every import.
  return isImplied && !/[\p{L}\p{N}]/u.test(lead) ? 'stray_text' : undefined
}

/** Whether a single word at the very end may be a header word cut short: "comm", "to", "js", an unknown channel. */
function mayGoOn(draft: HeaderDraft, header: HarmonyHeader, word: Word): boolean {
  if (addressesTool(header) || (hasChannelMarker(draft) && header.channel === undefined)) return true
  const known = [...ROLES, ...CHANNELS, ...(word.marker === 'start' ? [] : CONTENT_TYPES), 'to=']
  return known.some((name) => name.startsWith(word.text))
}

/** Whether the recipient is a tool, not a party of the conversation. */
export function addressesTool({ recipient = '' }: HarmonyHeader): boolean {
  return recipient !== '' && recipient !== 'assistant' && recipient !== 'user'
}

function hasChannelMarker(draft: HeaderDraft): boolean {
  return draft.segments.some(({ marker }) => marker === 'channel')
}

type Report = (code: RepairCode, text?: string) => void

/** A header as read: its fields, the words without a place, and the repairs. */
interface HeaderReading {
  header: HarmonyHeader
  loose: Word[]
  repairs: Repair[]
  report: Report
}

/** @param hasText - whether the last segment turned out to hold the message's text */
function readHeader(draft: HeaderDraft, origin: Origin, hasText = false): HeaderReading {
  const header: HarmonyHeader = { role: 'assistant' }
  const loose: Word[] = []
  const repairs: Repair[] = []
  const report: Report = (code, text) => void repairs.push(repair(code, text))
  const channels: Word[] = []
  /** Whether a content type or an unknown word was read: a recipient after it is misplaced. */
  let isLate = false

  /** Whether a recipient stands in its own place. */
  const isNamed = wordsOf(draft).some(
    ({ kind, after }) => kind === 'recipient' || (kind === 'tool' && after !== 'constrain'),
  )

  if (draft.opening === 'implied') report('missing_start')
  for (const { words } of draft.segments) for (const [index, word] of words.entries()) readWord(word, words[index + 1])
  readAuthor(draft.segments[0]?.words[0])
  if (header.role === 'tool') header.name ??= 'tool'
  readChannel()
  readSegments()
  return { header, loose, repairs, report }

  function readWord(word: Word, next: Word | undefined): void {
    const { kind, text, value, marker, after } = word
    isLate ||= marker === 'constrain'
    //     <|start|>assistantto=functions.f     a glued channel or tool has a repair of its own
    //              ^^^^^^^^^^^
    if (word.isGlued && (kind === 'recipient' || kind === 'to' || kind === 'type')) report('unusual_header_spacing')
    switch (kind) {
      case 'author':
        break
      case 'role':
        readRole(word)
        break
      case 'channel':
        if (marker === 'start') {
          report(after === 'start' ? 'role_is_channel' : 'missing_channel')
          channels.unshift(word)
        } else if (after === 'channel') channels.push(word)
        else loose.push(word)
        break
      case 'tool':
      case 'recipient':
        if (after === 'constrain') {
          readConstrained(word)
          break
        }
        if (header.recipient !== undefined) report('repeated_recipient', text)
        else header.recipient = value
        if (kind === 'tool') report('bare_recipient')
        else if (text !== `to=${value}`) report('unusual_header_spacing')
        if (isLate) report('misplaced_recipient')
        break
      case 'to':
        if (isValue(next)) break
        if (text !== 'to=') loose.push(word)
        else if (header.recipient !== undefined) report('repeated_recipient', text)
        else {
          header.recipient = ''
          if (isLate) report('misplaced_recipient')
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
        isLate ||= after !== 'channel' && !isNoise(text)
        loose.push(word)
    }
  }

  /** Reads a declared tool after <|constrain|>: the recipient, unless there is another. */
  function readConstrained(word: Word): void {
    if (isNamed) loose.push({ ...word, kind: 'unknown' })
    else if (addressesTool(header)) report('repeated_recipient', word.text)
    else {
      header.recipient = word.value
      report('constrained_recipient')
    }
  }

  function readRole({ text, value }: Word): void {
    if (value === '' || draft.opening === 'turn') report('repeated_role')
    if (value === '') return // `assistantassistant`
    header.role = value as Role
    if (text === value) return
    header.name = text.slice(value.length + 1)
    report('named_role')
  }

  /** Reads an unknown first word: a tool that speaks to the assistant, a tool to be called, or not a role at all. */
  function readAuthor(first: Word | undefined): void {
    const { recipient } = header
    if (first?.kind === 'author') {
      if (recipient === undefined ? origin === 'host' : !addressesTool(header)) {
        header.role = 'tool'
        header.name = first.text
        if (recipient === undefined) report('missing_recipient')
      } else if (recipient === undefined && first.value !== '') {
        header.recipient = first.value
        report('role_is_tool')
      } else {
        loose.unshift(first)
        report('unknown_role')
      }
    } else if (draft.opening === 'start' && first?.kind !== 'role' && first?.kind !== 'channel') report('unknown_role')
  }

  function readChannel(): void {
    const channel = channels.pop()
    if (channel === undefined) return
    header.channel = channel.value
    if (channel.text !== channel.value) report('misspelled_channel', channel.text)
    if (channels.length > 0) report('repeated_channel', channels.map(({ text }) => text).join(' '))
  }

  /** Repairs empty segments, spacing and spelling that the official parser refuses. */
  function readSegments(): void {
    for (const { marker, words } of draft.segments.slice(0, hasText ? -1 : undefined)) {
      const kind = words[0]?.kind
      const isPlaced = kind === 'channel' || kind === 'unknown' || (kind === 'tool' && header.channel !== undefined)
      if (marker === 'constrain' && kind === undefined) report('stray_marker')
      if (marker === 'channel' && !isPlaced) report('missing_channel')
    }
    if (draft.hasEmptySegment) report('stray_marker')
    // Parsers disagree on whether white space beyond ASCII separates words.
    const isUnusual = ({ text }: Segment, index: number): boolean =>
      (index > 0 && /^\s/.test(text)) || /[^\S \t\n\r\f]|\u0085/.test(text)
    if (draft.segments.some(isUnusual)) report('unusual_header_spacing')
    if (draft.segments.some(({ text }) => text.includes('<'))) report('marker_spelled_in_header')
  }
}
