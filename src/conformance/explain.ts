import { check } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import { checkEvents, type Violation } from './check.js'
import type { AgreedCall } from './clients/agreement.js'
import { Agreement } from './clients/agreement.js'
import { CLIENTS, type Client, type ClientModel, type Ending, type Seen, type SeenCall } from './clients/client.js'
import { callDissent } from './clients/dissent.js'
import { MODELS } from './clients/index.js'
import { isAtEnd } from './report/kind.js'
import { fieldsOf, isFields, type StreamEvent, textOf } from './stream-event.js'

export { CLIENTS, type Client } from './clients/client.js'

/**
 * What a client will make of a stream, in a few sentences: what it shows, which calls it runs with which arguments, how
 * it ends, and at which event it first trips. Derived from the model that judges the same stream under the client's
 * profile. Events that are none are passed over.
 *
 *     explain(events, 'langchain') // LangChain shows no text, will run get_weather with {}: no arguments delta, ...
 *
 * @throws HarmonyResponsesError `bad_option` where there is no such client. It never throws at what stands in the stream.
 */
export function explain(events: Iterable<StreamEvent | ResponseStreamEvent>, client: Client): string {
  check(CLIENTS.includes(client), 'client', `one of ${CLIENTS.join(', ')}`, client)
  const all = [...events] as unknown[]
  const model = MODELS[client]
  const reader = model.begin(() => {})
  const agreed = new Agreement()
  let last: StreamEvent | undefined
  for (const event of all) {
    // One without a type is none to us, but clients read it, and some throw.
    if (!isFields(event)) continue
    reader.read(event as StreamEvent)
    agreed.take(event as StreamEvent)
    if (/^response\.(completed|incomplete|failed)$/.test(textOf(event['type']))) last = event as StreamEvent
  }
  reader.end()
  agreed.end()
  const faults = checkEvents(all as StreamEvent[], { profile: `client:${client}` }).filter(
    ({ severity }) => severity === 'error',
  )
  const { seen } = reader
  const runs = seen.calls.map((call) => `will run ${callWords(call)}${whyOf(call, agreed.calls)}`)
  const does = [shownBy(seen), ...runs, endOf({ model, seen, agreed, last, faults })].join(', ')
  const [first] = faults
  return first === undefined ? `${model.name} ${does}.` : `${model.name} ${does}. ${tripAt(first)}`
}

function shownBy({ streamed, final }: Seen): string {
  const text = streamed.length === 0 && final !== undefined ? final : streamed
  return text.length === 0 ? 'shows no text' : `shows ${text}`
}

const callWords = ({ name, arguments: given }: SeenCall): string => `${name} with ${given.plain}`

/** Why a call is not run as it was meant. */
function whyOf(seen: SeenCall, calls: readonly AgreedCall[]): string {
  const meant = calls.filter(({ name, namespace }) => seen.name === name || seen.name === `${namespace}.${name}`)
  if (meant.some((call) => call.arguments.equals(seen.arguments))) return ''
  const dissent = callDissent(meant)
  return dissent === undefined ? '' : `: ${dissent.words}`
}

/** What a stream came to. */
interface Read {
  readonly model: ClientModel
  readonly seen: Seen
  readonly agreed: Agreement
  /** The last event that ends a response. */
  readonly last: StreamEvent | undefined
  readonly faults: readonly Violation[]
}

/** How it ends for the client, in the words of the client where it has its own. */
function endOf(read: Read): string {
  const { model, seen, agreed, last, faults } = read
  const own = OWN_ENDS[model.client][seen.ending]?.(read)
  if (own !== undefined) return own
  switch (seen.ending) {
    case 'completed':
      return faults.length === 0 ? 'and ends well' : 'and ends without noticing that something is lost'
    case 'incomplete': {
      const reason = textOf(fieldsOf(fieldsOf(last?.['response'])['incomplete_details'])['reason'])
      return `and learns that it was cut off${reason === '' ? '' : ` (${reason})`}`
    }
    case 'failed':
      return withMessage('and fails', seen.error ?? agreed.errorMessage)
    case 'threw':
      return withMessage('and throws', seen.error)
    case 'open':
      return NO_END
  }
}

const withMessage = (end: string, message: string | undefined): string =>
  message === undefined || message === '' ? end : `${end}: ${message}`

const NO_END = 'never learns that the response is over'

const NO_RESULT = 'has no result, because no event ends the stream'

type End = (read: Read) => string | undefined

/** Ends of which a client's user sees something of its own. */
const OWN_ENDS: Readonly<Record<Client, Partial<Record<Ending, End>>>> = {
  openai: { open: () => `${NO_END}: its status stays in_progress` },
  'ai-sdk': { open: () => 'finishes as interrupted' },
  'openai-agents': {
    open: () => NO_RESULT,
    threw: ({ last, faults }) => {
      if (last === undefined && faults[0]?.type === undefined) return NO_RESULT
      // It throws where nothing is wrong with the stream, too: at an ending that it has no result for.
      return last !== undefined && last.type !== 'response.completed' && faults.length === 0
        ? `throws at ${last.type}`
        : undefined
    },
  },
  langchain: {
    open: ({ last }) =>
      last?.type === 'response.failed' ? 'takes the failed response for a good one' : `${NO_END}, and has no usage`,
  },
  codex: {
    open: () => 'says that the stream was closed before response.completed, and tries again',
    incomplete: () => 'fails the turn: incomplete response',
  },
}

function tripAt(first: Violation): string {
  const named = first.type === undefined ? '' : ` (${first.type})`
  const at = isAtEnd(first) ? 'at the end' : `at event ${first.position}${named}`
  return `It trips ${at}: expected ${first.expected}, got ${first.got}.`
}
