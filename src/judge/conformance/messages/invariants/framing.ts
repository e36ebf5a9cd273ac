import type { Invariant, Profile } from '../../invariant.js'
import { ANY_FRAMING, neededFraming } from '../../invariants/framing.js'
import { NO_DATA } from '../../read/sse-reader.js'
import type { FramingRead } from '../../read/stream-read.js'
import { type MessagesInvariant, type MessagesProfile, messagesRules } from '../invariant.js'

const NAMED: readonly MessagesProfile[] = [
  'messages',
  'messages:anthropic',
  'messages:anthropic-python',
  'messages:langchain',
]

/** Rules for the framing of events. The capture reader finds their violations. */
export const FRAMING: readonly MessagesInvariant[] = messagesRules([
  {
    id: 'messages-event-named',
    sentence:
      'The event: line of each frame has the type of its event: the Anthropic SDK skips a frame without a name, or with the ' +
      'name ping, and throws at the name error; LangChain skips all names that it does not know.',
    // The AI SDK reads the data alone.
    neededBy: NAMED,
  },
  {
    id: 'messages-no-done',
    sentence:
      'No [DONE] has a name: the Anthropic SDK throws at it, and LangChain if the name is that of an event. Without a name, ' +
      'both skip it.',
    neededBy: NAMED,
  },
])

/** The rules of {@link FRAMING}, by the ids under which the capture reader reports them. */
const OWN: Readonly<Record<string, string>> = {
  'event-named': 'messages-event-named',
  'event-name-is-type': 'messages-event-named',
  'event-name-misleads': 'messages-event-named',
  'done-nameless': 'messages-no-done',
}

/** The names of frames that LangChain reads, with version 0.122 of the Anthropic SDK. */
const READ_BY_LANGCHAIN =
  /^(?:completion|message(?:_start|_delta|_stop)?|content_block_(?:start|delta|stop)|error|event_(?:start|delta)|(?:user|agent|session|span|system)\.\w+)$/

/** Whether a client skips frames with a name, whatever their data. */
const SKIPS: Readonly<Record<MessagesProfile, (name: string | undefined) => boolean>> = {
  messages: () => false,
  'messages:anthropic': (name) => name === undefined || name === 'ping',
  'messages:anthropic-python': (name) => name === undefined || name === 'ping',
  'messages:ai-sdk': () => false,
  'messages:langchain': (name) => name === undefined || !READ_BY_LANGCHAIN.test(name),
}

/** The profile of the Responses API whose frames are read in the same way. */
const READER: Readonly<Record<MessagesProfile, Profile>> = {
  messages: 'openai',
  'messages:anthropic': 'client:openai',
  'messages:anthropic-python': 'client:openai-python',
  'messages:ai-sdk': 'client:ai-sdk',
  'messages:langchain': 'client:langchain',
}

/** The rule for what the capture reader reports, if it holds for this API and the profile needs it. */
export function neededMessagesFraming(
  read: FramingRead,
  profile: MessagesProfile,
): Invariant | MessagesInvariant | undefined {
  const { rule: id, name } = read
  const own = FRAMING.find((rule) => rule.id === OWN[id])
  if (own !== undefined) return own.neededBy.includes(profile) && isLost(read, profile) ? own : undefined
  if (!ANY_FRAMING.includes(id)) return undefined
  const isSkipped = /^(?:data-is-json|frame-has-data|done-alone)$/.test(id) && SKIPS[profile](name)
  if (isSkipped || (isOfAnthropic(profile) && isEmpty(read))) return undefined
  // The SDKs of Anthropic drop a frame that no blank line ends; LangChain, and that for Python, need no message_stop.
  if (id !== 'last-frame-ends') return neededFraming({ rule: id }, READER[profile])
  const isSparing = profile === 'messages:langchain' || profile === 'messages:anthropic-python'
  if (isSparing && isHarmless(read)) return undefined
  return neededFraming({ rule: id }, isSparing || profile === 'messages:anthropic' ? 'openai' : READER[profile])
}

const isOfAnthropic = (profile: MessagesProfile): boolean =>
  profile === 'messages:anthropic' || profile === 'messages:anthropic-python'

/** Whether the name of a frame, or a [DONE] with this name, makes the client lose its event or throw. */
function isLost({ rule, type, name }: FramingRead, profile: MessagesProfile): boolean {
  if (profile === 'messages') return true
  if (rule === 'done-nameless') return !SKIPS[profile](name)
  return name === 'error' || (type !== 'ping' && SKIPS[profile](name))
}

const isEmpty = ({ rule, got }: FramingRead): boolean => rule === 'frame-has-data' || got === NO_DATA

/** Whether it loses only an event that LangChain and the SDK for Python do not need. */
const isHarmless = ({ lost = [] }: FramingRead): boolean =>
  lost.every((type) => /^(?:message_stop|content_block_stop|ping)$/.test(type))
