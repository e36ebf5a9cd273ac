import type {
  DiagnosticRecord,
  EventRecord,
  HarmonyRecord,
  MessageRecord,
  TokenRecord,
  TraceRecord,
} from '../../core/trace/index.js'

/** Records of a response by what they are. */
export interface TraceLists {
  readonly tokens: readonly TokenRecord[]
  readonly messages: readonly MessageRecord[]
  readonly events: readonly EventRecord[]
  readonly diagnostics: readonly DiagnosticRecord[]
  /** By the token with which the parser reported them. */
  readonly harmony: ReadonlyMap<number, readonly HarmonyRecord[]>
}

export function listsOf(records: readonly TraceRecord[]): TraceLists {
  const tokens: TokenRecord[] = []
  const messages: MessageRecord[] = []
  const events: EventRecord[] = []
  const diagnostics: DiagnosticRecord[] = []
  const harmony = new Map<number, HarmonyRecord[]>()
  for (const record of records) {
    if (record.type === 'token') tokens.push(record)
    else if (record.type === 'message') messages.push(record)
    else if (record.type === 'event') events.push(record)
    else if (record.type === 'diagnostic') diagnostics.push(record)
    else {
      const others = harmony.get(record.index)
      if (others === undefined) harmony.set(record.index, [record])
      else others.push(record)
    }
  }
  return { tokens, messages, events, diagnostics, harmony }
}
