import type {
  DiagnosticRecord,
  EventRecord,
  HarmonyRecord,
  MessageRecord,
  TokenRecord,
} from '../../core/trace/index.js'
import type { ShownRecord } from '../worker/look-result.js'
import { shadeOf } from './shades.js'

/** A token as it is shown: its index is its place in the list. */
export interface ShownToken extends TokenRecord {
  /** Of the first of tokens that the server hides: how many they are. Of the others, 0; their texts are empty. */
  readonly hidden?: number
  /** Whether a diagnostic is about it. */
  readonly isFlawed?: boolean
}

/** Records of a response by what they are. */
export interface TraceLists {
  readonly tokens: readonly ShownToken[]
  readonly messages: readonly MessageRecord[]
  readonly events: readonly EventRecord[]
  readonly diagnostics: readonly DiagnosticRecord[]
  /** By the token with which the parser reported them. */
  readonly harmony: ReadonlyMap<number, readonly HarmonyRecord[]>
}

export function listsOf(records: readonly ShownRecord[]): TraceLists {
  const tokens: ShownToken[] = []
  const messages: MessageRecord[] = []
  const events: EventRecord[] = []
  const diagnostics: DiagnosticRecord[] = []
  const harmony = new Map<number, HarmonyRecord[]>()
  for (const record of records) {
    if (record.type === 'token') tokens.push(record)
    else if (record.type === 'hidden') hide(tokens, record)
    else if (record.type === 'message') messages.push(record)
    else if (record.type === 'event') events.push(record)
    else if (record.type === 'diagnostic') diagnostics.push(record)
    else {
      const others = harmony.get(record.index)
      if (others === undefined) harmony.set(record.index, [record])
      else others.push(record)
    }
  }
  for (const { index } of diagnostics) {
    const token = tokens[index]
    if (token !== undefined) tokens[index] = { ...token, isFlawed: true }
  }
  return { tokens, messages, events, diagnostics, harmony }
}

/** Adds tokens that are hidden, to those before them if they are hidden, too: a window may have cut them. */
function hide(tokens: ShownToken[], { from, tokens: count, origin }: Extract<ShownRecord, { type: 'hidden' }>): void {
  const unknown = { type: 'token', token: null, origin, position: 'content' } as const
  for (let added = 0; added < count; added++) tokens.push({ ...unknown, index: from + added, text: '', hidden: 0 })
  let first = from
  if (tokens[from - 1]?.hidden !== undefined && tokens[from - 1]?.origin === origin) {
    first -= 1
    while (tokens[first]?.hidden === 0) first -= 1
  }
  const all = tokens.length - first
  tokens[first] = { ...unknown, index: first, text: `[${all} hidden ${all === 1 ? 'token' : 'tokens'}]`, hidden: all }
}

/** The classes of a token: who wrote it, where it stands, how likely it was, and whether something is wrong with it. */
export function classOf({ origin, position, logprob, hidden, isFlawed }: ShownToken): string {
  const flaw = isFlawed === true ? ' flawed' : ''
  return hidden === undefined ? `token ${origin} ${position}${shadeOf(logprob)}${flaw}` : 'token unseen'
}
