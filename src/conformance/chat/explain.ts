import type { Ending, Seen, SeenCall } from '../clients/client.js'
import type { Surplus } from '../clients/surplus.js'
import type { Explanation } from '../explanation.js'
import { callWords, shownBy, tripAt, withMessage } from '../explanation.js'
import type { StreamChunk, Violation } from '../violation.js'
import { createChatCheckerWithRun } from './check-chunks.js'
import type { ChatAgreement } from './clients/agreement.js'
import type { ChatClient, ChatClientModel } from './clients/client.js'
import { CHAT_MODELS } from './clients/index.js'
import type { ChatClientRun } from './clients/run.js'

/** Explains what a client makes of a stream of Chat Completions. `explain` does it for `chat:NAME`. */
export function explainChat(chunks: Iterable<StreamChunk>, client: ChatClient): Explanation {
  const { checker, run } = createChatCheckerWithRun(`chat:${client}`)
  const violations: Violation[] = []
  for (const chunk of chunks) violations.push(...checker.push(chunk))
  violations.push(...checker.end())
  const errors = violations.filter(({ severity }) => severity === 'error')
  const { seen, agreement } = run as ChatClientRun
  const model = CHAT_MODELS[client]
  const runs = seen.calls.map((call) =>
    call.isInvalid
      ? `will not run ${callWords(call)}, which no tool can take`
      : `will run ${callWords(call)}${whyOf(call, agreement)}`,
  )
  const does = [shownBy(seen), ...runs, endOf(model, seen, agreement, errors)].join(', ')
  const [first] = errors
  return { text: first === undefined ? `${model.name} ${does}.` : `${model.name} ${does}. ${tripAt(first)}`, errors }
}

/** Why a call runs that the answer does not ask for; empty if it does. */
function whyOf({ name }: SeenCall, { choices, surplus }: ChatAgreement): string {
  if (choices.some(({ calls }) => calls.some((call) => call.name === name))) return ''
  const extra = surplus.find((one) => one.name === name)
  return extra === undefined ? '' : ` (${SURPLUS[extra.why]}: chunk ${extra.at.position})`
}

const SURPLUS: Readonly<Record<Surplus['why'], string>> = {
  late: 'which came after the end of the answer',
  foreign: 'which is of another answer',
  repeated: 'which came again',
}

/** How the stream ends for the client. */
function endOf(model: ChatClientModel, seen: Seen, agreed: ChatAgreement, errors: readonly Violation[]): string {
  const ends: Readonly<Record<Ending, () => string>> = {
    completed: () =>
      errors.length === 0
        ? 'and ends well'
        : `and ends without noticing that something is ${agreed.surplus.length > 0 ? 'not of this answer' : 'lost'}`,
    incomplete: () => `and learns that it was cut off (${agreed.finish ?? 'length'})`,
    failed: () => withMessage('and fails', (seen.error ?? agreed.errorMessage)?.replace(/\.$/, '')),
    threw: () =>
      withMessage(model.client === 'ai-sdk' ? 'and shows an error' : 'and throws', seen.error?.replace(/\.$/, '')),
    open: () => `and ends with the finish_reason ${JSON.stringify(agreed.finish ?? null)}, which says nothing to it`,
  }
  return ends[seen.ending]()
}
