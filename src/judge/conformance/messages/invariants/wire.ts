import { problemsOf } from '../../schemas/parse-event.js'
import { MESSAGE_EVENT_TYPES, messageEventSchema } from '../event-schema.js'
import { always, type MessagesInvariant } from '../invariant.js'

const ANTHROPIC = ['messages'] as const

/** Rules for events as such. */
export const WIRE: readonly MessagesInvariant[] = [
  {
    id: 'messages-event-shape',
    sentence: 'Each event has its fields, and every field has its type.',
    neededBy: ANTHROPIC,
    severity: 'error',
    begin: always({
      event(event, _state, report) {
        if (typeof event.type === 'string' && !MESSAGE_EVENT_TYPES.has(event.type)) return
        for (const { path, expected, got } of problemsOf(event, messageEventSchema)) {
          report(`${path}: ${expected}`, undefined, got)
        }
      },
    }),
  },
  {
    id: 'messages-event-known',
    sentence: 'The type of an event is one of the API: clients skip others, with their content.',
    neededBy: ANTHROPIC,
    severity: 'warning',
    begin: always({
      event({ type }, _state, report) {
        if (typeof type === 'string' && !MESSAGE_EVENT_TYPES.has(type)) report('an event of the Messages API', type)
      },
    }),
  },
]
