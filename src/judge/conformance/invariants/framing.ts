import { CLIENTS, type Client } from '../clients/client.js'
import { type Invariant, PROFILES, type Profile, responseRules } from '../invariant.js'
import type { FramingRead } from '../read/stream-read.js'

/** The events that Codex acts on: done items, which it prints or runs, and the end of the turn. */
const CODEX_READS = /^response\.(output_item\.done|completed|incomplete|failed)$/

/**
 * Whether a client reads frames with the openai SDK or with its own reader. The compiler requires an entry for a new
 * client.
 */
const FRAME_READERS: Readonly<Record<Client, 'openai SDK' | 'own'>> = {
  openai: 'openai SDK',
  'openai-python': 'openai SDK',
  'ai-sdk': 'own',
  'openai-agents': 'openai SDK',
  langchain: 'openai SDK',
  codex: 'own',
}

const withReader = (reader: 'openai SDK' | 'own'): Profile[] =>
  CLIENTS.filter((client) => FRAME_READERS[client] === reader).map((client): Profile => `client:${client}`)

const SPECIFICATIONS: readonly Profile[] = ['openai', 'open-responses']
const OPENAI_SDK_CLIENTS: readonly Profile[] = withReader('openai SDK')
const OTHER_CLIENTS: readonly Profile[] = withReader('own')

/**
 * Rules for the framing of server-sent events. Source: each client was given the same events in each framing. The capture
 * reader reports them: a checker of events gets them parsed, and cannot see how they were framed.
 */
export const FRAMING: readonly Invariant[] = responseRules([
  {
    id: 'frames-apart',
    sentence:
      'A blank line ends each frame: at two events in one frame, the openai SDK, the Agents SDK and LangChain throw, ' +
      'and the AI SDK and Codex lose both.',
    neededBy: PROFILES,
  },
  {
    id: 'last-frame-ends',
    sentence: 'A blank line ends the last frame, too: without it, the AI SDK and Codex never see its event.',
    neededBy: [...SPECIFICATIONS, ...OTHER_CLIENTS],
  },
  {
    id: 'no-cr-at-end',
    sentence:
      'A stream does not end with a lone CR: the AI SDK and Codex wait for the LF, and never see the last event.',
    neededBy: [...SPECIFICATIONS, ...OTHER_CLIENTS],
  },
  {
    id: 'cr-line-ends',
    sentence:
      'Lines end with LF or CR LF: after a lone CR, the AI SDK and Codex show an event only when the next one comes.',
    neededBy: [...SPECIFICATIONS, ...OTHER_CLIENTS],
    severity: 'warning',
  },
  {
    id: 'data-is-json',
    sentence:
      'The data of each frame is valid JSON, or [DONE]: at anything else, or at no data, all clients fail except Codex, ' +
      'which skips the frame.',
    neededBy: PROFILES.filter((profile) => profile !== 'client:codex'),
  },
  {
    id: 'frame-has-data',
    sentence: 'A frame with an event name has data: without it, the openai SDK, the Agents SDK and LangChain throw.',
    neededBy: ['openai', ...OPENAI_SDK_CLIENTS],
  },
  {
    id: 'data-field',
    sentence: 'The lines of an event start with `data:` in lower case: every client skips other lines.',
    neededBy: PROFILES,
  },
  {
    id: 'line-is-field',
    sentence: 'A line is a field, a comment or blank: clients skip other lines.',
    neededBy: SPECIFICATIONS,
    severity: 'warning',
  },
  {
    id: 'event-name-misleads',
    sentence:
      'Only an `error` event has the name `error`, and no event has a name `thread.*`: otherwise the openai SDK, the ' +
      'Agents SDK and LangChain throw, or misread the event.',
    neededBy: [...SPECIFICATIONS, ...OPENAI_SDK_CLIENTS],
  },
  {
    id: 'event-name-is-type',
    sentence: 'The event name of a frame equals the type of its event.',
    neededBy: SPECIFICATIONS,
    severity: 'warning',
  },
  {
    id: 'event-named',
    sentence: 'A frame has an event name: Open Responses requires it, though no client reads it.',
    neededBy: ['open-responses'],
    severity: 'warning',
  },
  {
    id: 'done-is-last',
    sentence: 'Nothing comes after [DONE]: the openai SDK, the Agents SDK and LangChain have stopped reading.',
    neededBy: [...SPECIFICATIONS, ...OPENAI_SDK_CLIENTS],
  },
  {
    id: 'done-alone',
    sentence:
      'The data of [DONE] is these six characters: with a blank beside them, the openai SDK, the AI SDK, the Agents SDK and ' +
      'LangChain take it for an event that is no JSON.',
    neededBy: PROFILES.filter((profile) => profile !== 'client:codex'),
  },
  {
    id: 'done-at-end',
    sentence: 'A stream ends with [DONE]: Open Responses requires it; OpenAI does not send it, and no client needs it.',
    neededBy: ['open-responses'],
    severity: 'warning',
  },
  {
    id: 'no-mark-at-start',
    sentence: 'A stream does not start with a byte order mark: Codex reads nothing of such a stream.',
    neededBy: [...SPECIFICATIONS, 'client:codex'],
  },
  {
    id: 'no-mark-within',
    sentence: 'No byte order mark comes before `data:`: the AI SDK and Codex skip such a line.',
    neededBy: [...SPECIFICATIONS, ...OTHER_CLIENTS],
  },
  {
    id: 'text-encoding',
    sentence: 'A stream is UTF-8: Codex ends the turn at an invalid byte, and the others show a replacement character.',
    neededBy: [...SPECIFICATIONS, 'client:codex'],
  },
])

const BY_ID: ReadonlyMap<string, Invariant> = new Map(FRAMING.map((invariant) => [invariant.id, invariant]))

/** The rules that hold for frames of any API: bytes and lines, not the names of events. */
export const ANY_FRAMING: readonly string[] = FRAMING.map(({ id }) => id).filter(
  (id) => !/^(event-name|done-(?!alone))/.test(id),
)

/** The rule for a violation of framing that the capture reader found, if the profile needs it. */
export function neededFraming(
  { rule, lost }: Pick<FramingRead, 'rule' | 'lost'>,
  profile: Profile,
): Invariant | undefined {
  const invariant = BY_ID.get(rule)
  if (!invariant?.neededBy.includes(profile)) return undefined
  // The loss of an event that Codex does not act on is harmless.
  if (profile === 'client:codex' && lost !== undefined && !lost.some((type) => CODEX_READS.test(type))) return undefined
  return invariant
}
