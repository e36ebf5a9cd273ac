import type { Invariant, Profile } from '../../invariant.js'
import { ANY_FRAMING, neededFraming } from '../../invariants/framing.js'
import type { FramingRead } from '../../read/stream-read.js'
import { type ChatInvariant, type ChatProfile, chatRules } from '../invariant.js'

/** Its frames have no event names. */
const SHARED: readonly string[] = [...ANY_FRAMING, 'event-name-misleads']

/** Rules for the framing of chunks. The capture reader finds their violations, and reports them without the prefix. */
export const FRAMING: readonly ChatInvariant[] = chatRules([
  {
    id: 'chat-done-at-end',
    sentence: 'A stream that does not fail ends with data: [DONE].',
    severity: 'warning',
    causes: { stream: ['chat-usage-last', 'chat-finish-once'] },
  },
  {
    id: 'chat-done-is-last',
    sentence: 'Nothing comes after [DONE]: the openai SDK has stopped reading.',
    neededBy: ['chat', 'chat:openai', 'chat:openai-python'],
  },
])

/** The profile of the Responses API whose frames are read by the same code. */
const READER: Readonly<Record<ChatProfile, Profile>> = {
  chat: 'openai',
  'chat:openai': 'client:openai',
  'chat:openai-python': 'client:openai-python',
  'chat:ai-sdk': 'client:ai-sdk',
}

/** The rule for what the capture reader reports, if it holds for chunks and the profile needs it. */
export function neededChatFraming(
  { rule: id }: FramingRead,
  profile: ChatProfile,
): Invariant | ChatInvariant | undefined {
  const own = FRAMING.find((rule) => rule.id === `chat-${id}`)
  if (own !== undefined) return own.neededBy.includes(profile) ? own : undefined
  return SHARED.includes(id) ? neededFraming({ rule: id }, READER[profile]) : undefined
}
