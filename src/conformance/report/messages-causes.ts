import type { PossibleCauses } from './explained-by.js'

/** An event that clients skip: what it says is missing behind it. */
const UNREAD = ['messages-event-known', 'messages-event-shape', 'messages-start-first']

/** It is not known which block an event is about. */
const MISPLACED = ['messages-block-index', 'messages-one-block', 'messages-block-is-open', ...UNREAD]

/** For each rule of the Messages API, the rules whose violations may be the cause of its violations. */
export const MESSAGES_CAUSES: Readonly<Record<string, PossibleCauses>> = {
  'messages-block-index': { stream: ['messages-block-index', ...UNREAD] },
  'messages-one-block': { stream: UNREAD },
  'messages-block-is-open': { stream: MISPLACED },
  'messages-delta-after-blocks': { stream: MISPLACED },
  'messages-delta-of-block': { stream: MISPLACED },
  'messages-input-json': { stream: ['messages-delta-of-block', ...MISPLACED] },
  'messages-input-encoded-once': { stream: MISPLACED },
  'messages-call-named': { event: ['messages-block-index'], stream: ['messages-start-first'] },
  'messages-thinking-signed': { stream: MISPLACED },
  'messages-stop-reason': { stream: UNREAD },
  'messages-stop-last': { stream: ['messages-stop-last', ...UNREAD] },
  'messages-tool-use-ends': { stream: MISPLACED },
  'messages-usage-grows': { stream: UNREAD },
}
