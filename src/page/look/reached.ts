import type { EventRecord, MessageRecord } from '../../core/trace/index.js'

/** The most messages that are listed around a token. */
const MAX_MESSAGES = 100

/** The most events, or diagnostics, that are listed up to a token. */
const MAX_LISTED = 300

/** The last records up to a token, and how many there are before them. */
export interface Listed<Each> {
  readonly before: number
  readonly list: readonly Each[]
}

/** Returns the events up to a token. They are in the order of their last tokens. */
export function eventsUpTo(events: readonly EventRecord[], token: number): readonly EventRecord[] {
  return events.slice(0, firstBehind(events, token + 1))
}

/** Returns the last records of a list, those that are shown. */
export function lastOf<Each>(list: readonly Each[]): Listed<Each> {
  const before = Math.max(0, list.length - MAX_LISTED)
  return { before, list: list.slice(before) }
}

/** Returns the messages around a token. */
export function messagesAround(messages: readonly MessageRecord[], token: number): Listed<MessageRecord> {
  const middle = firstBehind(messages, token)
  const before = Math.max(0, Math.min(middle - MAX_MESSAGES / 2, messages.length - MAX_MESSAGES))
  return { before, list: messages.slice(before, before + MAX_MESSAGES) }
}

/** Returns the index of the first record that ends at a token, or behind it. */
function firstBehind(records: readonly { readonly to: number }[], token: number): number {
  let [low, high] = [0, records.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((records[middle]?.to ?? 0) < token) low = middle + 1
    else high = middle
  }
  return low
}
