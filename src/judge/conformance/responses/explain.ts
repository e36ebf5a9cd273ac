import { isFields } from '../../../shared/fields.js'
import type { Agreement } from '../clients/agreement/agreement.js'
import { callMismatch } from '../clients/agreement/mismatch.js'
import {
  type Client,
  type ClientModel,
  type Ending,
  hasArguments,
  type Seen,
  type SeenCall,
} from '../clients/client.js'
import { MODELS } from '../clients/index.js'
import { isTerminalType } from '../event-kind.js'
import { type Explanation, explanationOf, goodEnd, surplusWords, withMessage } from '../explanation.js'
import { asFields, asString, type StreamEvent } from '../stream-event.js'
import type { Violation } from '../violation.js'
import { createClientChecker } from './check-events.js'

/** Explains how a client reads a stream of the Responses API. `explain` does it for `NAME`. */
export function explainResponses(events: Iterable<StreamEvent>, client: Client): Explanation {
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
  'openai-python': {},
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
