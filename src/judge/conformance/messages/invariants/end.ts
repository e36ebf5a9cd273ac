import { asFields } from '../../stream-event.js'
import { type MessagesInvariant, messagesRules } from '../invariant.js'
import { MISPLACED, UNREAD } from './cause-groups.js'

/** Rules for how an answer ends, and for its token counts. */
export const END: readonly MessagesInvariant[] = messagesRules([
  {
    id: 'messages-tool-use-ends',
    sentence:
      'The stop_reason is tool_use if the client has a call to run and nothing was cut off, and only then: clients run calls because of it.',
    causes: { stream: MISPLACED },
    event({ type, delta }, { toolUses }, report) {
      if (type !== 'message_delta') return
      const { stop_reason: reason } = asFields(delta)
      if (reason === 'tool_use' && toolUses === 0) report('a tool_use block before it', undefined, 'none')
      if (reason === 'end_turn' && toolUses > 0) report('stop_reason "tool_use"', reason)
    },
  },
  {
    id: 'messages-stop-sequence',
    sentence:
      'stop_sequence is the string that ended the answer where the stop_reason is stop_sequence, and null elsewhere.',
    event({ type, delta }, _state, report) {
      if (type !== 'message_delta') return
      const { stop_reason: reason, stop_sequence: sequence = null } = asFields(delta)
      if (reason === 'stop_sequence' && typeof sequence !== 'string') report('a stop_sequence', sequence)
      if (reason !== 'stop_sequence' && reason !== null && typeof sequence === 'string')
        report('stop_sequence null', sequence)
    },
  },
  {
    id: 'messages-usage-grows',
    sentence: 'output_tokens is the count so far: it never decreases, from message_start on.',
    causes: { stream: UNREAD },
    event({ type, usage }, { outputTokens }, report) {
      const { output_tokens: tokens } = asFields(usage)
      if (type === 'message_delta' && typeof tokens === 'number' && tokens < outputTokens)
        report(`at least ${outputTokens} output_tokens`, tokens)
    },
  },
])
