import type { Invariant } from '../../invariant.js'
import { ANY_FRAMING, neededFraming } from '../../invariants/framing.js'
import { always, type MessagesInvariant } from '../invariant.js'

const named: MessagesInvariant = {
  id: 'messages-event-named',
  sentence:
    'The event: line of each frame has the type of its event: the Anthropic SDK skips a frame without a name it knows.',
  neededBy: ['messages'],
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

/** The rule for what the capture reader reports, if it holds for this API. */
export function neededMessagesFraming(id: string): Invariant | MessagesInvariant | undefined {
  return OWN[id] ?? (ANY_FRAMING.includes(id) ? neededFraming(id, 'openai', undefined) : undefined)
}
