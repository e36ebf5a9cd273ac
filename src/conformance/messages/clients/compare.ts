import {
  type ClientRule,
  callWords,
  ENDING_WORDS,
  type ReportBreak,
  type Seen,
  type SeenCall,
} from '../../clients/client.js'
import type { AgreedBlock } from './agreed-block.js'
import type { MessagesAgreement } from './agreement.js'
import type { MessagesClientModel } from './client.js'

/** The rules for what a client must not lose of a stream: one for each thing that its user sees. */
export const MESSAGES_LOSSES: readonly ClientRule[] = [
  { id: 'messages-client-ending', sentence: 'The client learns how the answer ended.', severity: 'error' },
  {
    id: 'messages-client-error',
    sentence: 'The client shows what went wrong where the stream ends with an error.',
    severity: 'error',
  },
  {
    id: 'messages-client-text',
    sentence: 'The client shows the text of the answer during streaming.',
    severity: 'error',
  },
  {
    id: 'messages-client-result',
    sentence: 'The result that the client returns has the text of the answer.',
    severity: 'error',
  },
  { id: 'messages-client-reasoning', sentence: 'The client shows the thinking of the answer.', severity: 'error' },
  {
    id: 'messages-client-calls',
    sentence: 'The client runs each call of the answer once, with its input.',
    severity: 'error',
  },
  {
    id: 'messages-client-reads',
    sentence:
      'An event, its block and its delta are objects of a known type with a text: clients skip anything else, and what it ' +
      'said.',
    severity: 'error',
  },
  {
    id: 'messages-client-input',
    sentence: 'The input of a call is JSON that is encoded once: a tool gets a text instead of its fields otherwise.',
    severity: 'error',
  },
  {
    id: 'messages-client-input-json',
    sentence: 'The input of a call is the JSON of an object: no tool can be run with it otherwise.',
    severity: 'error',
    fault: 'model',
  },
]

/** Reports where what the client saw differs from what the stream says as a whole. */
export function compare(seen: Seen, agreed: MessagesAgreement, model: MessagesClientModel, report: ReportBreak): void {
  compareEnding(seen, agreed, model, report)
  if (seen.ending === 'threw') return
  compareText(seen, agreed, report)
  compareReasoning(seen, agreed, report)
  // A stream that fails gives no result with calls.
  if (agreed.ending !== 'failed' && seen.ending !== 'failed') compareCalls(seen, agreed, report)
  const { unreadable } = agreed
  if (unreadable !== undefined)
    report('messages-client-reads', unreadable.what, unreadable.got, undefined, unreadable.at)
}

function compareEnding(seen: Seen, agreed: MessagesAgreement, model: MessagesClientModel, report: ReportBreak): void {
  const { ending, reason } = agreed
  if (ending === undefined) {
    report('messages-client-ending', 'a stop_reason that clients know', reason, reason ?? 'none')
    return
  }
  const calls = agreed.calls.filter((call) => !agreed.isCut(call))
  if (agreed.otherReason !== undefined)
    report('messages-client-ending', `one stop_reason, which is ${JSON.stringify(reason)}`, agreed.otherReason)
  if (reason === 'tool_use' && calls.length === 0)
    report('messages-client-ending', 'a call before stop_reason "tool_use"', undefined, 'none')
  if (ending === 'completed' && reason !== 'tool_use' && reason !== 'pause_turn' && calls.length > 0)
    report('messages-client-ending', 'stop_reason "tool_use" behind a call', reason)
  if (seen.ending !== ending) {
    report(
      'messages-client-ending',
      `${model.name} to see it ${ENDING_WORDS[ending]}`,
      undefined,
      ENDING_WORDS[seen.ending],
    )
  } else if (ending === 'failed') {
    const hasMessage = seen.error !== undefined && seen.error !== ''
    if (!hasMessage) report('messages-client-error', 'an error message', undefined, 'none')
  } else if (seen.error !== undefined) {
    report('messages-client-error', 'no error beside a stop_reason', undefined, JSON.stringify(seen.error))
  }
}

function compareText(seen: Seen, agreed: MessagesAgreement, report: ReportBreak): void {
  const text = agreed.textOf('text')
  if (!seen.streamed.equals(text)) report('messages-client-text', `the text ${text}`, undefined, `${seen.streamed}`)
  if (seen.final !== undefined && !seen.final.equals(text))
    report('messages-client-result', `the text ${text}`, undefined, `${seen.final}`)
}

function compareReasoning(seen: Seen, agreed: MessagesAgreement, report: ReportBreak): void {
  const thought = agreed.textOf('thinking')
  if (!seen.reasoning.equals(thought))
    report('messages-client-reasoning', `the thinking ${thought}`, undefined, `${seen.reasoning}`)
}

function compareCalls(seen: Seen, agreed: MessagesAgreement, report: ReportBreak): void {
  const { calls } = agreed
  const wanted = calls.filter((call) => !agreed.isCut(call))
  for (const call of wanted) {
    if (call.name === '') report('messages-client-calls', 'a call with a name', undefined, 'none', call.at)
    const { lost } = call
    if (lost !== undefined) report('messages-client-reads', lost.what, lost.got, undefined, lost.at)
    if (!call.isObject && !seen.calls.some(({ name, value }) => name === call.name && value === call.closed))
      report('messages-client-input-json', 'the JSON of an object', undefined, `${call.arguments}`, call.at)
    if (!call.isEncodedTwice) continue
    const expected = `an object as the input of ${call.name}`
    report('messages-client-input', expected, undefined, `${call.arguments}`, call.at)
  }
  if (isRun(seen.calls, calls, agreed)) return
  const lost = wanted.find((call) => !seen.calls.some((one) => isSame(call, one)))
  const expected = wanted.map(callWords).join(', ') || 'no call'
  const ran = seen.calls.map(callWords).join(', ') || 'no call'
  report('messages-client-calls', expected, undefined, ran, lost?.at)
}

/** Whether the client has these calls, in order. A call that was cut off it may have, or not. */
function isRun(seen: readonly SeenCall[], calls: readonly AgreedBlock[], agreed: MessagesAgreement): boolean {
  let at = 0
  for (const call of calls) {
    const one = seen[at]
    if (agreed.isCut(call)) {
      if (one?.name === call.name) at++
    } else if (!isSame(call, one)) return false
    else at++
  }
  return at === seen.length
}

const isSame = (call: AgreedBlock, seen: SeenCall | undefined): boolean =>
  seen?.name === call.name && call.isGiven(seen.value)
