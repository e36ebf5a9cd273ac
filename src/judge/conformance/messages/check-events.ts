import { type AnswerApi, type CheckerWithRun, createAnswerChecker } from '../answer-checker.js'
import { asFields, type StreamEvent } from '../stream-event.js'
import { MessagesAgreement } from './clients/agreement.js'
import type { MessagesClientModel } from './clients/client.js'
import { compare } from './clients/compare.js'
import { MESSAGES_MODELS } from './clients/index.js'
import type { MessagesCheck, MessagesProfile } from './invariant.js'
import { MESSAGES_INVARIANTS } from './invariants/index.js'
import { MessageState } from './message-state.js'

/** Creates a checker for one stream of the Messages API. `createChecker` does it for its profiles. */
export const createMessagesChecker = (
  profile: MessagesProfile,
  without?: readonly string[],
): CheckerWithRun<unknown, MessagesAgreement> => createAnswerChecker(MESSAGES, profile, without)

const MESSAGES: AnswerApi<MessagesCheck, MessageState, MessagesClientModel, MessagesAgreement> = {
  rules: MESSAGES_INVARIANTS,
  models: MESSAGES_MODELS,
  shape: ['messages-event-shape', 'an event'],
  begin: () => new MessageState(),
  agree: () => new MessagesAgreement(),
  compare,
  typeOf(value) {
    const { type } = asFields(value)
    return typeof type === 'string' ? type : undefined
  },
  aboutOf: ({ index }) => (Number.isInteger(index) ? { block: index as number } : {}),
  take(fields, state, each) {
    // The cast: no field is validated yet; the rules do that.
    const event = fields as StreamEvent
    each((check, report) => check.event?.(event, state, report))
    state.apply(event)
  },
}
