import type { Invariant, Profile } from '../../invariant.js'
import { ANY_FRAMING, neededFraming } from '../../invariants/framing.js'
import { always, type ChatInvariant, type ChatProfile } from '../invariant.js'

/** Its frames have no event names. */
const SHARED: readonly string[] = [...ANY_FRAMING, 'event-name-misleads']

/** By the id under which the capture reader reports it. */
const OWN: Readonly<Record<string, ChatInvariant>> = {
  'done-at-end': {
    id: 'chat-done-at-end',
    sentence: 'A stream that does not fail ends with data: [DONE].',
    neededBy: ['chat'],
    severity: 'warning',
    begin: always({}),
  },
  'done-is-last': {
    id: 'chat-done-is-last',
    sentence: 'Nothing comes after [DONE]: the openai SDK has stopped reading.',
    neededBy: ['chat', 'chat:openai'],
    severity: 'error',
    begin: always({}),
  },
}

/** Rules for the framing of chunks. The capture reader finds their violations. */
export const FRAMING: readonly ChatInvariant[] = Object.values(OWN)

/** The profile of the Responses API whose frames are read by the same code. */
const READER: Readonly<Record<ChatProfile, Profile>> = {
  chat: 'openai',
  'chat:openai': 'client:openai',
  'chat:ai-sdk': 'client:ai-sdk',
}

/** The rule for what the capture reader reports, if it holds for chunks and the profile needs it. */
export function neededChatFraming(id: string, profile: ChatProfile): Invariant | ChatInvariant | undefined {
  const own = OWN[id]
  if (own !== undefined) return own.neededBy.includes(profile) ? own : undefined
  return SHARED.includes(id) ? neededFraming(id, READER[profile], undefined) : undefined
}
