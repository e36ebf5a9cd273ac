import {
  type ClientRule,
  callWords,
  ENDING_WORDS,
  type ReportBreak,
  type Seen,
  type SeenCall,
} from '../../clients/client.js'
import { TextHash } from '../../clients/text-hash.js'
import type { AgreedChatCall, AgreedChoice } from './agreed-choice.js'
import type { ChatAgreement } from './agreement.js'
import type { ChatClientModel, ChatReads } from './client.js'

/** The rules for what a client must not lose of a stream: one for each thing that its user sees. */
export const CHAT_LOSSES: readonly ClientRule[] = [
  { id: 'chat-client-ending', sentence: 'The client learns how the answer ended.', severity: 'error' },
  {
    id: 'chat-client-error',
    sentence: 'The client shows what went wrong where the stream ends with an error.',
    severity: 'error',
  },
  { id: 'chat-client-text', sentence: 'The client shows the text of the answer during streaming.', severity: 'error' },
  {
    id: 'chat-client-result',
    sentence: 'The result that the client returns has the text of the answer.',
    severity: 'error',
  },
  { id: 'chat-client-reasoning', sentence: 'The client shows the reasoning of the answer.', severity: 'error' },
  {
    id: 'chat-client-calls',
    sentence: 'The client runs each call of the answer once, with its arguments.',
    severity: 'error',
  },
  {
    id: 'chat-client-reads',
    sentence:
      'The delta of a choice is an object, and a call has a function or a custom tool: clients skip anything else, and ' +
      'what it said.',
    severity: 'error',
  },
  {
    id: 'chat-client-arguments',
    sentence:
      'The arguments of a call are JSON that is encoded once: a tool gets a text instead of its fields otherwise.',
    severity: 'error',
  },
]

/** Reports where the client's view differs from the stream as a whole. */
export function compare(seen: Seen, agreed: ChatAgreement, model: ChatClientModel, report: ReportBreak): void {
  compareEnding(seen, agreed, model, report)
  if (seen.ending === 'threw') return
  compareText(seen, agreed, model, report)
  if (model.reads.reasoning) compareReasoning(seen, shownOf(agreed, model.reads), report)
  // A stream that fails gives no result with calls.
  if (agreed.ending !== 'failed') compareCalls(seen, agreed, model, report)
  for (const { unreadable } of shownOf(agreed, model.reads)) {
    const isShown =
      unreadable?.beside === 'reasoning'
        ? model.reads.reasoning
        : unreadable?.beside !== 'call' || agreed.ending !== 'failed'
    if (unreadable !== undefined && isShown)
      report('chat-client-reads', unreadable.what, unreadable.got, undefined, unreadable.at)
  }
}

function compareEnding(seen: Seen, agreed: ChatAgreement, { reads, name }: ChatClientModel, report: ReportBreak): void {
  const { ending, finish } = agreed
  if (ending === undefined) {
    // A finish_reason that is not known is passed on as it is.
    if (seen.ending !== 'open' || finish === undefined)
      report('chat-client-ending', 'a finish_reason', undefined, finish ?? 'the end of the stream')
    else report('chat-client-ending', 'a finish_reason that clients know', finish)
    return
  }
  const isToCall = finish === 'tool_calls' || finish === 'function_call'
  if (isToCall && agreed.choices[0]?.calls.length === 0) {
    report('chat-client-ending', `a call before finish_reason "${finish}"`, undefined, 'none')
  }
  const expected = ending === 'incomplete' ? reads.incomplete : ending
  if (seen.ending !== expected) {
    report('chat-client-ending', `${name} to see it ${ENDING_WORDS[expected]}`, undefined, ENDING_WORDS[seen.ending])
  } else if (ending === 'failed') {
    const hasMessage = seen.error !== undefined && seen.error !== ''
    if (!hasMessage) report('chat-client-error', 'an error message', undefined, 'none')
  } else if (seen.error !== undefined && seen.ending !== 'threw') {
    report('chat-client-error', 'no error beside a finish_reason', undefined, JSON.stringify(seen.error))
  }
}

function compareText(seen: Seen, agreed: ChatAgreement, { reads }: ChatClientModel, report: ReportBreak): void {
  const choices = shownOf(agreed, reads)
  const whole = TextHash.joined(choices.flatMap(({ text, refusal }) => [text, refusal]))
  // If a text and a refusal alternate, the client shows them in that order, and loses nothing.
  const { streamed } = agreed
  const isInTurn = seen.streamed.equals(streamed) && (reads.choices === 'all' || agreed.choices.length < 2)
  if (!seen.streamed.equals(whole) && !isInTurn) {
    report('chat-client-text', `the text ${whole}`, undefined, `${seen.streamed}`)
  }
  if (seen.final !== undefined && !seen.final.equals(whole)) {
    report('chat-client-result', `the text ${whole}`, undefined, `${seen.final}`)
  }
}

function compareReasoning(seen: Seen, choices: readonly AgreedChoice[], report: ReportBreak): void {
  const thought = TextHash.joined(choices.map(({ reasoning }) => reasoning))
  if (!seen.reasoning.equals(thought)) {
    report('chat-client-reasoning', `the reasoning ${thought}`, undefined, `${seen.reasoning}`)
  }
}

function compareCalls(seen: Seen, agreed: ChatAgreement, { reads }: ChatClientModel, report: ReportBreak): void {
  const calls = shownOf(agreed, reads).flatMap((choice) => choice.calls)
  for (const call of calls) {
    if (call.name === '') report('chat-client-calls', 'a call with a name', undefined, 'none', call.at)
    if (!call.isEncodedTwice) continue
    const expected = `an object as the arguments of ${call.name}`
    report('chat-client-arguments', expected, undefined, `${call.arguments}`, call.at)
  }
  // Also a call that was cut off is passed on as far as it came.
  if (calls.length === seen.calls.length && calls.every((call, at) => isSame(call, seen.calls[at]))) return
  const lost = calls.find((call) => !seen.calls.some((one) => isSame(call, one)))
  const expected = calls.map(callWords).join(', ') || 'no call'
  const ran = seen.calls.map(callWords).join(', ') || 'no call'
  report('chat-client-calls', expected, undefined, ran, lost?.at)
}

const isSame = (call: AgreedChatCall, seen: SeenCall | undefined): boolean =>
  seen?.name === call.name && seen.arguments.equals(call.arguments)

/** The choices that a client shows. */
function shownOf({ choices }: ChatAgreement, reads: ChatReads): readonly AgreedChoice[] {
  return reads.choices === 'all' ? choices : choices.slice(0, 1)
}
