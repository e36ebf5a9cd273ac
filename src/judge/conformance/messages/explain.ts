import { ENDING_WORDS, type Ending, type Seen, type SeenCall } from '../clients/client.js'
import { type Explanation, errorsIn, explanationOf, extraneousReason, goodEnd, withMessage } from '../explanation.js'
import type { StreamChunk, Violation } from '../violation.js'
import { createMessagesCheckerWithRun, type MessagesRun } from './check-events.js'
import type { MessagesAgreement } from './clients/agreement.js'
import type { MessagesClient } from './clients/client.js'
import { MESSAGES_MODELS } from './clients/index.js'

/** Explains how a client reads a stream of the Messages API. `explain` does it for `messages:NAME`. */
export function explainMessages(events: Iterable<StreamChunk>, client: MessagesClient): Explanation {
  const { checker, run } = createMessagesCheckerWithRun(`messages:${client}`)
  const errors = errorsIn(checker, events)
  const { seen, agreement } = run as MessagesRun
  return explanationOf({
    name: MESSAGES_MODELS[client].name,
    seen,
    errors,
    whyOf: (call) => whyOf(call, agreement),
    end: endOf(client, seen, agreement, errors),
  })
}

/** Returns why a call runs that the answer does not request; empty if it does. */
function whyOf({ name }: SeenCall, { calls, extraneous }: MessagesAgreement): string {
  if (calls.some((call) => call.name === name)) return ''
  return extraneousReason(extraneous, name, 'event')
}

/** Returns how the stream ends for the client. */
function endOf(client: MessagesClient, seen: Seen, agreed: MessagesAgreement, errors: readonly Violation[]): string {
  const ends: Readonly<Record<Ending, () => string>> = {
    completed: () => goodEnd(errors, agreed.extraneous, 'answer'),
    incomplete: () => `and learns that it was cut off (${agreed.reason ?? 'max_tokens'})`,
    failed: () => withMessage('and fails', (seen.error ?? agreed.errorMessage)?.replace(/\.$/, '')),
    // No answer of this API ends so.
    cancelled: () => ENDING_WORDS.cancelled,
    threw: () => withMessage(client === 'ai-sdk' ? 'and shows an error' : 'and throws', seen.error?.replace(/\.$/, '')),
    open: () =>
      agreed.reason === undefined || agreed.ending !== undefined
        ? 'and never learns that the answer has ended'
        : `and ends with the stop_reason ${JSON.stringify(agreed.reason)}, which says nothing to it`,
  }
  return ends[seen.ending]()
}
