import type { Fields } from '../../../shared/fields.js'
import { type AnswerApi, type CheckEach, type CheckerWithRun, createAnswerChecker } from '../answer-checker.js'
import { asFields, isIndex } from '../stream-event.js'
import { ChatAgreement } from './clients/agreement.js'
import type { ChatClientModel } from './clients/client.js'
import { compare } from './clients/compare.js'
import { CHAT_MODELS } from './clients/index.js'
import type { ChatCheck, ChatProfile } from './invariant.js'
import { CHAT_INVARIANTS } from './invariants/index.js'
import {
  applyCall,
  applyDelta,
  ChatState,
  type ChoiceState,
  callOf,
  callsIn,
  choicesIn,
  isAside,
  MAX_CHOICES,
  typeOfChunk,
} from './stream-state.js'

/** Creates a checker for one stream of chunks. `createChecker` does it for the profiles of Chat Completions. */
export const createChatChecker = (
  profile: ChatProfile,
  without?: readonly string[],
): CheckerWithRun<unknown, ChatAgreement> => createAnswerChecker(CHAT, profile, without)

const CHAT: AnswerApi<ChatCheck, ChatState, ChatClientModel, ChatAgreement> = {
  rules: CHAT_INVARIANTS,
  models: CHAT_MODELS,
  shape: ['chat-chunk-shape', 'a chunk'],
  begin: () => new ChatState(),
  agree: () => new ChatAgreement(),
  compare,
  typeOf: typeOfChunk,
  aboutOf: () => ({}),
  take(chunk, state, each) {
    each((check, report) => check.chunk?.(chunk, state, report))
    // Chunks after an error are extraneous.
    if (!state.hasFailed && !isAside(chunk)) for (const choice of choicesIn(chunk)) takeChoice(choice, state, each)
    state.apply(chunk)
  },
}

function takeChoice(choice: Fields, state: ChatState, each: CheckEach<ChatCheck>): void {
  const { index, finish_reason: reason } = choice
  // The choice is unknown, which has been reported.
  if (!isIndex(index, MAX_CHOICES)) return
  const known = state.choices.get(index)
  each((check, report) => check.choice?.(choice, known, state, report), { choice: index })
  const seen = state.choice(index)
  const delta = asFields(choice['delta'])
  // Chunks after finish_reason are extraneous, and have been reported.
  if (seen.finish !== undefined) return
  for (const call of callsIn(delta)) takeCall(call, seen, state, each)
  applyDelta(delta, seen)
  if (reason === undefined || reason === null) return
  seen.finish = reason
  each((check, report) => check.finish?.(reason, seen, report), { choice: index })
}

function takeCall(delta: Fields, choice: ChoiceState, state: ChatState, each: CheckEach<ChatCheck>): void {
  const seen = callOf(delta, choice)
  const call = seen?.index ?? delta['index']
  const about = { choice: choice.index, ...(Number.isInteger(call) && { call: call as number }) }
  each((check, report) => check.call?.(delta, seen, choice, report), about)
  applyCall(delta, choice, state.position)
}
