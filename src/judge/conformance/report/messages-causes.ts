import { causesOfAll, type PossibleCauses } from './explained-by.js'

/** Violations of events that clients skip: later events lack their content. */
const UNREAD = ['messages-event-known', 'messages-event-shape', 'messages-start-first']

/** Violations that leave unknown which block an event belongs to. */
const MISPLACED = ['messages-block-index', 'messages-one-block', 'messages-block-is-open', ...UNREAD]

/** Violations that break a client at an event, so that it loses its content. */
const CLIENT_BREAKS = [
  'messages-client-reads',
  'messages-ai-sdk-validates',
  'messages-ai-sdk-one-message',
  'messages-ai-sdk-part',
  'messages-ai-sdk-call-stop',
  'messages-ai-sdk-stop',
  'messages-langchain-call-id',
  'messages-langchain-stop-reason',
]

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

  'messages-client-result': { stream: ['messages-client-text', ...CLIENT_BREAKS] },
  ...causesOfAll(
    ['ending', 'error', 'text', 'reasoning', 'calls', 'input', 'input-json'].map((loss) => `messages-client-${loss}`),
    { stream: CLIENT_BREAKS },
  ),
  ...causesOfAll(
    ['part', 'stop', 'call-stop', 'tool-input'].map((rule) => `messages-ai-sdk-${rule}`),
    { stream: ['messages-ai-sdk-validates'] },
  ),
}
