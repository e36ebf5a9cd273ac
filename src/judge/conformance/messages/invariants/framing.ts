import type { Invariant, Profile } from '../../invariant.js'
import { ANY_FRAMING, neededFraming } from '../../invariants/framing.js'
import { always, type MessagesInvariant, type MessagesProfile } from '../invariant.js'

const named: MessagesInvariant = {
  id: 'messages-event-named',
  sentence:
    'The event: line of each frame has the type of its event: the Anthropic SDK skips a frame without a name it knows.',
  // The AI SDK reads the data alone.
  neededBy: ['messages', 'messages:anthropic', 'messages:langchain'],
  severity: 'error',
  begin: always({}),
}

/** Rules for the framing of events. The capture reader finds their violations. */
export const FRAMING: readonly MessagesInvariant[] = [named]

/** The rules of {@link FRAMING}, by the ids under which the capture reader reports them. */
const OWN: Readonly<Record<string, MessagesInvariant>> = {
  'event-named': named,
  'event-name-is-type': named,
  'event-name-misleads': named,
}

/** The profile of the Responses API whose frames are read in the same way. */
const READER: Readonly<Record<MessagesProfile, Profile>> = {
  messages: 'openai',
  'messages:anthropic': 'client:openai',
  'messages:ai-sdk': 'client:ai-sdk',
  'messages:langchain': 'client:langchain',
}

/** The rule for what the capture reader reports, if it holds for this API and the profile needs it. */
export function neededMessagesFraming(id: string, profile: MessagesProfile): Invariant | MessagesInvariant | undefined {
  const own = OWN[id]
  if (own !== undefined) return own.neededBy.includes(profile) ? own : undefined
  return ANY_FRAMING.includes(id) ? neededFraming(id, READER[profile], undefined) : undefined
}
