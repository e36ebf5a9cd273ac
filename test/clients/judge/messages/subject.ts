import type { Family } from '../../../../src/judge/conformance/damage/family.js'
import { checkEvents, explain } from '../../../../src/judge/conformance/index.js'
import type { MessagesClient } from '../../../../src/judge/conformance/messages/clients/client.js'
import { MESSAGES_MODELS } from '../../../../src/judge/conformance/messages/clients/index.js'
import { MESSAGES_FAMILIES } from '../../../../src/judge/conformance/messages/damage/index.js'
import type { WireEvent } from '../damages.js'
import { damagesOf } from '../damages.js'
import { drawOf } from '../draw.js'
import { bodyOf } from '../replay.js'
import { COMPLETED, hasError, type Subject } from '../subject.js'
import { MESSAGES_KINDS } from '../unseen/messages.js'
import { isGood } from './good.js'
import { meantBy } from './meant.js'

/** The profile of a client of the Messages API. */
export function messagesSubject(client: MessagesClient): Subject {
  const model = MESSAGES_MODELS[client]
  const profile = `messages:${client}` as const
  return {
    profile,
    rules: `messages-${client}-`,
    versions: model.versions,
    // The cast: events as a family damages them count as events of a stream.
    families: MESSAGES_FAMILIES as readonly unknown[] as readonly Family[],
    kinds: MESSAGES_KINDS,
    typeOf: kindOf,
    violations: (events) => checkEvents(events as never, { profile }).filter(({ severity }) => severity === 'error'),
    isRefused: (events) => hasError(events, 'messages'),
    saysCompleted: (events) => COMPLETED.test(explain(events as never, profile).text),
    predicted(events) {
      const reader = model.begin(() => {})
      for (const event of events) reader.read(event)
      reader.end()
      return reader.seen
    },
    meant: (events) => meantBy(events),
    bodyOf,
    draw: (streams, count, seed) =>
      drawOf(streams, count, seed, { damagesOf: (events) => damagesOf(events, kindOf), more: [] }),
    isWhole: (events) => events.some(({ type }) => type === 'message_stop'),
    isGood,
  }
}

/** The type of an event, with that of its block or delta. */
function kindOf({ type, content_block: block, delta }: WireEvent): string {
  const { type: of } = Object(block ?? delta) as { type?: unknown }
  return typeof of === 'string' ? `${type} (${of})` : type
}
