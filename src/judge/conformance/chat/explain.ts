import { ENDING_WORDS, type Ending, type Seen, type SeenCall } from '../clients/client.js'
import { type Explanation, errorsIn, explanationOf, extraneousReason, goodEnd, withMessage } from '../explanation.js'
import type { StreamChunk, Violation } from '../violation.js'
import { type ChatRun, createChatCheckerWithRun } from './check-chunks.js'
import type { ChatAgreement } from './clients/agreement.js'
import type { ChatClient, ChatClientModel } from './clients/client.js'
import { CHAT_MODELS } from './clients/index.js'

/** Explains how a client reads a stream of Chat Completions. `explain` does it for `chat:NAME`. */
export function explainChat(chunks: Iterable<StreamChunk>, client: ChatClient): Explanation {
  const { checker, run } = createChatCheckerWithRun(`chat:${client}`)
  const errors = errorsIn(checker, chunks)
  const { seen, agreement } = run as ChatRun
  const model = CHAT_MODELS[client]
  return explanationOf({
    name: model.name,
    seen,
    errors,
    whyOf: (call) => whyOf(call, agreement),
    end: endOf(model, seen, agreement, errors),
  })
}

/** Returns why a call runs that the answer does not request; empty if it does. */
function whyOf({ name }: SeenCall, { choices, extraneous }: ChatAgreement): string {
  if (choices.some(({ calls }) => calls.some((call) => call.name === name))) return ''
  return extraneousReason(extraneous, name, 'chunk')
}

/** Returns how the stream ends for the client. */
function endOf(model: ChatClientModel, seen: Seen, agreed: ChatAgreement, errors: readonly Violation[]): string {
  const ends: Readonly<Record<Ending, () => string>> = {
    completed: () => goodEnd(errors, agreed.extraneous, 'answer'),
    incomplete: () => `and learns that it was cut off (${agreed.finish ?? 'length'})`,
    failed: () => withMessage('and fails', (seen.error ?? agreed.errorMessage)?.replace(/\.$/, '')),
    // No answer of this API ends so.
    cancelled: () => ENDING_WORDS.cancelled,
    threw: () =>
      withMessage(model.client === 'ai-sdk' ? 'and shows an error' : 'and throws', seen.error?.replace(/\.$/, '')),
    open: () => `and ends with the finish_reason ${JSON.stringify(agreed.finish ?? null)}, which says nothing to it`,
  }
  return ends[seen.ending]()
}
