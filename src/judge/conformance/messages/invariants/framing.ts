import type { Invariant, Profile } from '../../invariant.js'
import { ANY_FRAMING, neededFraming } from '../../invariants/framing.js'
import { type MessagesInvariant, type MessagesProfile, messagesRules } from '../invariant.js'

/** Rules for the framing of events. The capture reader finds their violations. */
export const FRAMING: readonly MessagesInvariant[] = messagesRules([
  {
    id: 'messages-event-named',
    sentence:
      'The event: line of each frame has the type of its event: the Anthropic SDK skips a frame without a name it knows.',
    // The AI SDK reads the data alone.
    neededBy: ['messages', 'messages:anthropic', 'messages:langchain'],
  },
])

/** The ids under which the capture reader reports the only rule of {@link FRAMING}. */
const NAMES: readonly string[] = ['event-named', 'event-name-is-type', 'event-name-misleads']

/** The profile of the Responses API whose frames are read in the same way. */
const READER: Readonly<Record<MessagesProfile, Profile>> = {
  messages: 'openai',
  'messages:anthropic': 'client:openai',
  'messages:ai-sdk': 'client:ai-sdk',
  'messages:langchain': 'client:langchain',
}

/** The rule for what the capture reader reports, if it holds for this API and the profile needs it. */
export function neededMessagesFraming(id: string, profile: MessagesProfile): Invariant | MessagesInvariant | undefined {
  const own = NAMES.includes(id) ? FRAMING[0] : undefined
  if (own !== undefined) return own.neededBy.includes(profile) ? own : undefined
  return ANY_FRAMING.includes(id) ? neededFraming(id, READER[profile], undefined) : undefined
}
