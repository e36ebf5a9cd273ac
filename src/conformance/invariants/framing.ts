import { type Invariant, PROFILES, type Profile } from '../invariant.js'

/** The events that Codex cannot do without: what it prints and runs, and how the turn ends. */
const CODEX_READS = /^response\.(output_item\.done|completed|incomplete|failed)$/

// The reader of captures tells them: who checks events has had them parsed by somebody.
const begin: Invariant['begin'] = () => ({})

/** Of server-sent events, as bytes: how they are framed. Source: each client, given the same events framed otherwise. */
export const FRAMING: readonly Invariant[] = [
  {
    id: 'frames-apart',
    sentence:
      'A blank line ends each frame: of two events in one, the openai SDK, the Agents SDK and LangChain throw, and the ' +
      'AI SDK and Codex see neither.',
    neededBy: PROFILES,
    severity: 'error',
    begin,
  },
  {
    id: 'last-frame-ends',
    sentence: 'A blank line ends the last frame, too: the AI SDK and Codex never see an event without one.',
    neededBy: ['openai', 'open-responses', 'client:ai-sdk', 'client:codex'],
    severity: 'error',
    begin,
  },
  {
    id: 'no-cr-at-end',
    sentence:
      'A stream does not end with CR alone: the AI SDK and Codex wait for its LF, and never see the last event.',
    neededBy: ['openai', 'open-responses', 'client:ai-sdk', 'client:codex'],
    severity: 'error',
    begin,
  },
  {
    id: 'cr-line-ends',
    sentence: 'Lines end with LF or CR LF: after CR alone, the AI SDK and Codex show an event when the next one comes.',
    neededBy: ['openai', 'open-responses', 'client:ai-sdk', 'client:codex'],
    severity: 'warning',
    begin,
  },
  {
    id: 'data-is-json',
    sentence:
      'The data of each frame is JSON, or [DONE]: at any other, and at none, all clients fail but Codex, which passes ' +
      'over it.',
    neededBy: [
      'openai',
      'open-responses',
      'client:openai',
      'client:ai-sdk',
      'client:openai-agents',
      'client:langchain',
    ],
    severity: 'error',
    begin,
  },
  {
    id: 'frame-has-data',
    sentence: 'A frame with a name has data: without, the openai SDK, the Agents SDK and LangChain throw.',
    neededBy: ['openai', 'client:openai', 'client:openai-agents', 'client:langchain'],
    severity: 'error',
    begin,
  },
  {
    id: 'data-field',
    sentence: 'An event stands in lines that begin with `data:`, in small letters: every client passes over any other.',
    neededBy: PROFILES,
    severity: 'error',
    begin,
  },
  {
    id: 'line-is-field',
    sentence: 'A line is a field, a comment or blank: clients pass over any other.',
    neededBy: ['openai', 'open-responses'],
    severity: 'warning',
    begin,
  },
  {
    id: 'event-name-misleads',
    sentence:
      'No event but `error` is named error, and none `thread.*`: the openai SDK, the Agents SDK and LangChain throw, or ' +
      'read something else.',
    neededBy: ['openai', 'open-responses', 'client:openai', 'client:openai-agents', 'client:langchain'],
    severity: 'error',
    begin,
  },
  {
    id: 'event-name-is-type',
    sentence: 'The name of a frame is the type of its event.',
    neededBy: ['openai', 'open-responses'],
    severity: 'warning',
    begin,
  },
  {
    id: 'event-named',
    sentence: 'A frame has a name: Open Responses requires it, though no client reads it.',
    neededBy: ['open-responses'],
    severity: 'warning',
    begin,
  },
  {
    id: 'done-is-last',
    sentence: 'Nothing comes after [DONE]: the openai SDK, the Agents SDK and LangChain have stopped reading.',
    neededBy: ['openai', 'open-responses', 'client:openai', 'client:openai-agents', 'client:langchain'],
    severity: 'error',
    begin,
  },
  {
    id: 'done-at-end',
    sentence: 'A stream ends with [DONE]: Open Responses requires it; OpenAI does not send it, and no client needs it.',
    neededBy: ['open-responses'],
    severity: 'warning',
    begin,
  },
  {
    id: 'no-mark-at-start',
    sentence: 'No byte order mark begins a stream: Codex reads nothing of it.',
    neededBy: ['openai', 'open-responses', 'client:codex'],
    severity: 'error',
    begin,
  },
  {
    id: 'no-mark-within',
    sentence: 'No byte order mark stands before `data:`: the AI SDK and Codex pass over such a line.',
    neededBy: ['openai', 'open-responses', 'client:ai-sdk', 'client:codex'],
    severity: 'error',
    begin,
  },
  {
    id: 'text-encoding',
    sentence: 'A stream is UTF-8: Codex ends the turn at any other byte, and the others show a replacement character.',
    neededBy: ['openai', 'open-responses', 'client:codex'],
    severity: 'error',
    begin,
  },
]

const BY_ID: ReadonlyMap<string, Invariant> = new Map(FRAMING.map((invariant) => [invariant.id, invariant]))

/**
 * The framing invariant of an id, where a profile needs it of these events: those that clients lose. All of them where
 * it is not about events.
 */
export function neededFraming(
  id: string,
  profile: Profile,
  lost: readonly string[] | undefined,
): Invariant | undefined {
  const invariant = BY_ID.get(id)
  if (!invariant?.neededBy.includes(profile)) return undefined
  // What Codex does not read it may well lose.
  if (profile === 'client:codex' && lost !== undefined && !lost.some((type) => CODEX_READS.test(type))) return undefined
  return invariant
}
