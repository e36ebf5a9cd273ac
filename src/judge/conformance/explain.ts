import type { ResponseStreamEvent } from '../../core/responses/events.js'
import { check } from '../../shared/errors.js'
import { isFields } from '../../shared/fields.js'
import { CHAT_CLIENTS, type ChatClient } from './chat/clients/names.js'
import { explainChat } from './chat/explain.js'
import { createClientChecker, type Violation } from './check.js'
import type { Agreement } from './clients/agreement/agreement.js'
import { callMismatch } from './clients/agreement/mismatch.js'
import {
  CLIENTS,
  type Client,
  type ClientModel,
  type Ending,
  hasArguments,
  type Seen,
  type SeenCall,
} from './clients/client.js'
import { MODELS } from './clients/index.js'
import { isTerminalType } from './event-kind.js'
import { type Explanation, explanationOf, goodEnd, surplusWords, withMessage } from './explanation.js'
import { MESSAGES_CLIENTS, type MessagesClient } from './messages/clients/names.js'
import { explainMessages } from './messages/explain.js'
import { asFields, asString, type StreamEvent } from './stream-event.js'
import { checkList } from './stream-list.js'
import type { StreamChunk } from './violation.js'

export { CLIENTS, type Client } from './clients/client.js'
export type { Explanation } from './explanation.js'

/**
 * Explains how a client reads a stream: what it shows, which calls it runs with which arguments, how it ends, and the
 * first event that breaks it. It uses the model that checks streams under the client's profile, in one pass. Values
 * that are not events are skipped.
 *
 * @throws HarmonyResponsesError `bad_option` if there is no such client, `bad_stream` if there is no list. It never throws because of the stream.
 *
 * @example
 * ```ts
 * import { explain } from 'harmony-responses/conformance'
 *
 * console.log(explain(events, 'langchain').text)
 * ```
 */
export function explain(
  events: Iterable<StreamEvent | ResponseStreamEvent | StreamChunk>,
  client: ExplainedClient,
): Explanation {
  checkList('explain', events)
  const ofChat = CHAT_CLIENTS.find((name) => client === `chat:${name}`)
  if (ofChat !== undefined) return explainChat(events as Iterable<StreamChunk>, ofChat)
  const ofMessages = MESSAGES_CLIENTS.find((name) => client === `messages:${name}`)
  if (ofMessages !== undefined) return explainMessages(events as Iterable<StreamChunk>, ofMessages)
  const known = CLIENTS.find((name) => client === name)
  check(known !== undefined, 'client', `one of ${EXPLAINED.join(', ')}`, client)
  return explainResponses(events as Iterable<StreamEvent>, known as Client)
}

/** A client as `explain` names it. */
export type ExplainedClient = Client | `chat:${ChatClient}` | `messages:${MessagesClient}`

const EXPLAINED: readonly string[] = [
  ...CLIENTS,
  ...CHAT_CLIENTS.map((name) => `chat:${name}`),
  ...MESSAGES_CLIENTS.map((name) => `messages:${name}`),
]

function explainResponses(events: Iterable<StreamEvent>, client: Client): Explanation {
  const checker = createClientChecker(client)
  const violations: Violation[] = []
  let last: StreamEvent | undefined
  for (const event of events) {
    for (const violation of checker.push(event)) violations.push(violation)
    if (isFields(event) && isTerminalType(asString(event['type']))) last = event as StreamEvent
  }
  for (const violation of checker.end()) violations.push(violation)
  const { seen, agreement } = checker
  const errors = violations.filter(({ severity }) => severity === 'error')
  const model = MODELS[client]
  return explanationOf({
    name: model.name,
    seen,
    errors,
    whyOf: (call) => whyOf(call, agreement),
    end: endOf({ model, seen, agreement, last, errors }),
  })
}

/** Returns why a call runs with other arguments than most of the stream states; empty if it does not. */
function whyOf(seen: SeenCall, { output, extraneous }: Agreement): string {
  const candidates = output.calls.filter(
    ({ name, namespace }) => seen.name === name || seen.name === `${namespace}.${name}`,
  )
  if (candidates.some((call) => hasArguments(seen, call.arguments))) return ''
  const extra = extraneous.find(({ name }) => name !== undefined && isNamed(seen, name))
  if (candidates.length === 0 && extra !== undefined)
    return ` (${surplusWords(extra.why, 'response')}: ${extra.at.type} at event ${extra.at.position})`
  const mismatch = callMismatch(candidates)
  return mismatch === undefined ? '' : `: ${mismatch.words}`
}

const isNamed = (seen: SeenCall, name: string): boolean => seen.name === name || seen.name.endsWith(`.${name}`)

/** A stream that a client has read. */
interface Reading {
  readonly model: ClientModel
  readonly seen: Seen
  readonly agreement: Agreement
  /** The last terminal event. */
  readonly last: StreamEvent | undefined
  readonly errors: readonly Violation[]
}

/** Returns how the stream ends for the client. */
function endOf(reading: Reading): string {
  const { model, seen, agreement, last, errors } = reading
  const own = OWN_ENDS[model.client][seen.ending]?.(reading)
  if (own !== undefined) return own
  switch (seen.ending) {
    case 'completed':
      return goodEnd(errors, agreement.extraneous, 'response')
    case 'incomplete': {
      const reason = asString(asFields(asFields(last?.['response'])['incomplete_details'])['reason'])
      return `and learns that it was cut off${reason === '' ? '' : ` (${reason})`}`
    }
    case 'failed':
      return withMessage('and fails', seen.error ?? agreement.ending.errorMessage)
    case 'cancelled':
      return 'and learns that it was cancelled'
    case 'threw':
      return withMessage('and throws', seen.error)
    case 'open':
      return NO_END
  }
}

const NO_END = 'never learns that the response has ended'

const NO_RESULT = 'has no result, because no event ends the stream'

type End = (reading: Reading) => string | undefined

/** Endings that a client shows in its own way. */
const OWN_ENDS: Readonly<Record<Client, Partial<Record<Ending, End>>>> = {
  openai: { open: () => `${NO_END}: its status stays in_progress` },
  'ai-sdk': { open: () => 'finishes as interrupted' },
  'openai-agents': {
    open: () => NO_RESULT,
    threw: ({ last, errors }) => {
      if (last === undefined && errors[0]?.type === undefined) return NO_RESULT
      // It also throws at a correct stream that ends incomplete or failed, for which it has no result.
      return last !== undefined && last.type !== 'response.completed' && errors.length === 0
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
