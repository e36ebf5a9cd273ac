import type { Role } from './events.js'
import { BROWSER, CONTAINER, FUNCTIONS, nameIn, PYTHON } from './namespaces.js'
import { CHANNELS, type Channel, CONTENT_TYPES, ROLES } from './vocabulary.js'

/* What a word of a header means in its place. */

/** How the header began: implied by the prompt, by `<|start|>`, or by text or a marker where `<|start|>` belonged. */
export type Opening = 'turn' | 'start' | 'implied'

export type SegmentMarker = 'start' | 'channel' | 'constrain'

export type WordKind =
  | 'role' // assistant, user:alice: the first word of the header
  | 'author' // an unknown first word after <|start|>: a tool that speaks, or prose
  | 'channel' // a channel's name, exact or nearly so
  | 'recipient' // to=X
  | 'to' // "to", "to=" or "=" on their own: the value may follow
  | 'tool' // a bare word that names a tool; after <|constrain|>, one that the request declares
  | 'type' // a known content type
  | 'unknown' // anything else: an unknown channel or content type, prose, noise

export interface Word {
  kind: WordKind
  /** As written. */
  text: string
  /**
   * Its meaning: a recipient without its "to=", a channel as repaired, the role or tool it names ('' if it names none).
   */
  value: string
  /** Its place: the segment's marker, and the offset in that segment. */
  marker: SegmentMarker
  start: number
  /** The marker directly before it, if it is the first word of its segment. */
  after: SegmentMarker | undefined
  /** Whether it stands directly behind the role, so it is not prose. */
  isGlued?: boolean
}

/** Recognises a bare word that names one of the request's tools, and gives its full recipient. */
export type ToolLookup = (word: string) => string | undefined

/**
 * Reads a word in its place: its kind, and its value if that differs from its text.
 *
 *     <|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>
 *              ^^^^^^^^^ ^^^^^^^^^^^^^^           ^^^^^^^^^^             ^^^^
 *              role      recipient                channel                type
 */
export function readWord(
  text: string,
  opening: Opening,
  after: SegmentMarker | undefined,
  before: Word | undefined,
  tools: ToolLookup | undefined,
): [kind: WordKind, value?: string] {
  const tool = toolName(text, tools)

  // Accepts white space in "to=X": "to = X", "to =X", "to= X".
  let address = text
  if (before?.text === 'to' && text.startsWith('=')) address = `to${text}`
  else if (before?.kind === 'to' && (before.text === '=' || (before.text === 'to=' && tool !== undefined))) {
    address = `to=${text}`
  }
  if (address === 'to' || address === 'to=') return ['to']
  if (address.startsWith('to=')) return ['recipient', address.slice('to='.length)]

  if (after === 'start') {
    const role = roleOf(text)
    const isRole = /^(assistant)+$/.test(text) || (opening !== 'turn' && role !== undefined)
    if (isRole) return ['role', role ?? '']
    if (opening === 'start' && !isOneOf(CHANNELS, text)) return ['author', tool ?? '']
  }
  if (isOneOf(CONTENT_TYPES, text)) return ['type']
  if (after === 'constrain') {
    const declared = tools?.(text)
    return declared === undefined ? ['unknown'] : ['tool', declared]
  }
  const channel = after === 'channel' ? nearestChannel(text) : CHANNELS.find((name) => name === text)
  if (channel !== undefined) return ['channel', channel]
  return tool === undefined ? ['unknown'] : ['tool', tool]
}

/**
 * Splits the first word of a model's header where the role, or role and channel, are glued to what follows:
 *
 *     <|start|>assistantanalysis<|message|>     <|start|>assistantThe answer is 42.     assistants are (no role)
 *              ^^^^^^^^^                                 ^^^^^^^^^
 */
export function splitRole(word: string, opening: Opening, tools: ToolLookup | undefined): readonly string[] {
  const [role] = /^(?:assistant)+/.exec(word) ?? ['']
  const rest = word.slice(role.length)
  if (role === '' || rest === '' || /^[:._]/.test(rest) || toolName(word, tools) !== undefined) return [word]
  const channel = CHANNELS.find((name) => rest.startsWith(name) && !/^\p{Ll}/u.test(rest.slice(name.length)))
  // After <|start|> stands the role. Elsewhere the word may be prose: "assistants", "assistant's".
  const isRole = opening === 'start' || channel !== undefined || /^(?:to=|[\p{Lu}\p{Lo}\p{N}"{[])/u.test(rest)
  if (!isRole) return [word]
  const parts = channel === undefined ? [role, rest] : [role, channel, rest.slice(channel.length)]
  return parts.filter((part) => part !== '')
}

/** Whether the word after a "to" or "to =" is its value. */
export function isValue(word: Word | undefined): boolean {
  return (word?.kind === 'recipient' && word.text === word.value) || word?.text[0] === '='
}

/** The namespaces that every gpt-oss model knows without being taught. */
const KNOWN = [FUNCTIONS, BROWSER, CONTAINER]

/**
 * Returns the recipient that a bare word names: a tool of the request, or of a namespace that every gpt-oss model
 * knows.
 */
function toolName(word: string, tools: ToolLookup | undefined): string | undefined {
  const isKnown = word === PYTHON || KNOWN.some((namespace) => nameIn(namespace, word) !== undefined)
  return tools?.(word) ?? (isKnown ? word : undefined)
}

/** Returns the role in `assistant` or `user:alice`. */
function roleOf(word: string): Role | undefined {
  const [name] = word.split(':', 1)
  return ROLES.find((role) => role === name)
}

/** Whether text means nothing in a header: no letters, or a channel's name with noise around it ("––commentary"). */
export function isNoise(text: string): boolean {
  const letters = lettersOf(text)
  return letters === '' || isOneOf(CHANNELS, letters)
}

export function lettersOf(text: string): string {
  return text.replace(/\P{L}/gu, '')
}

export function isOneOf(names: readonly string[], word: string): boolean {
  return names.includes(word)
}

/** Returns the channel that a word most likely means: in another case, with a suffix, cut short, or one letter off. */
function nearestChannel(word: string): Channel | undefined {
  const lower = word.toLowerCase()
  return CHANNELS.find(
    (channel) =>
      lower.startsWith(channel) || (lower.length >= 4 && channel.startsWith(lower)) || isOneEditAway(lower, channel),
  )
}

function isOneEditAway(a: string, b: string): boolean {
  let same = 0
  while (same < a.length && a[same] === b[same]) same++
  const rest = a.slice(same + 1)
  return rest === b.slice(same + 1) || rest === b.slice(same) || a.slice(same) === b.slice(same + 1)
}
