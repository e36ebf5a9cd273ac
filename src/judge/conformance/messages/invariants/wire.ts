import { problemsOf } from '../../schemas/parse-event.js'
import { MESSAGE_EVENT_TYPES, messageEventSchema } from '../event-schema.js'
import { type MessagesInvariant, messagesRules } from '../invariant.js'

/** Rules for events as such. */
export const WIRE: readonly MessagesInvariant[] = messagesRules([
  {
    id: 'messages-event-shape',
    sentence: 'Each event has its fields, and every field has its type.',
    namesField: true,
    event(event, _state, report) {
      if (typeof event.type === 'string' && !MESSAGE_EVENT_TYPES.has(event.type)) return
      for (const { path, expected, got } of problemsOf(event, messageEventSchema)) {
        report(`${path}: ${expected}`, undefined, got)
      }
    },
  },
  {
    id: 'messages-event-known',
    sentence: 'The type of an event is one of the API: clients skip others, with their content.',
    severity: 'warning',
    event({ type }, _state, report) {
      if (typeof type === 'string' && !MESSAGE_EVENT_TYPES.has(type)) report('an event of the Messages API', type)
    },
  },
])
