import { AnswerLosses, type AnswerWords, answerLosses } from '../../clients/answer-losses.js'
import {
  type ClientRule,
  type ReportBreak,
  ranInOrder,
  rulesOf,
  type Seen,
  type SeenCall,
} from '../../clients/client.js'
import type { AgreedBlock } from './agreed-block.js'
import type { MessagesAgreement } from './agreement.js'
import type { MessagesClientModel } from './client.js'

const WORDS: AnswerWords = { api: 'messages', ending: 'stop_reason', reasoning: 'thinking', input: 'input' }

/** The rules for the content that a client must not lose: one for each kind that its user sees. */
export const MESSAGES_LOSSES: readonly ClientRule[] = [
  ...answerLosses(WORDS),
  ...rulesOf({
    'messages-client-reads': {
      sentence:
        'An event, its block, its delta and its citation are objects of a known type, with a text or an address: clients ' +
        'skip anything else, with its content.',
      explainsLosses: true,
    },
    'messages-client-citations': 'The client shows the citations of the text.',
    'messages-client-input':
      'The input of a call is JSON that is encoded once: a tool gets a text instead of its fields otherwise.',
    'messages-client-input-json': {
      sentence: 'The input of a call is the JSON of an object: no tool can be run with it otherwise.',
      fault: 'model',
    },
  }),
]

/** Reports where the client's view differs from the stream as a whole. */
export function compare(seen: Seen, agreed: MessagesAgreement, model: MessagesClientModel, report: ReportBreak): void {
  const losses = new AnswerLosses(WORDS, seen, report)
  compareEnding(agreed, model, losses)
  if (seen.ending === 'threw') return
  losses.text(agreed.textOf('text'))
  losses.reasoning(agreed.textOf('thinking'))
  // A stream that fails gives no result with calls and citations.
  if (agreed.ending !== 'failed' && seen.ending !== 'failed') {
    compareCalls(seen, agreed, losses)
    losses.citations(agreed.citations)
  }
  const { unreadable } = agreed
  if (unreadable !== undefined) losses.report('reads', unreadable.what, unreadable.got, undefined, unreadable.at)
}

function compareEnding(agreed: MessagesAgreement, model: MessagesClientModel, losses: AnswerLosses): void {
  const { ending, reason } = agreed
  if (ending === undefined) {
    losses.report('ending', 'a stop_reason that clients know', reason, reason ?? 'none')
    return
  }
  const calls = agreed.calls.filter((call) => !agreed.isCut(call))
  if (agreed.otherReason !== undefined)
    losses.report('ending', `one stop_reason, which is ${JSON.stringify(reason)}`, agreed.otherReason)
  if (reason === 'tool_use' && calls.length === 0)
    losses.report('ending', 'a call before stop_reason "tool_use"', undefined, 'none')
  if (ending === 'completed' && reason !== 'tool_use' && reason !== 'pause_turn' && calls.length > 0)
    losses.report('ending', 'stop_reason "tool_use" behind a call', reason)
  losses.ending(model, ending)
}

function compareCalls(seen: Seen, agreed: MessagesAgreement, losses: AnswerLosses): void {
  const { calls } = agreed
  const completeCalls = calls.filter((call) => !agreed.isCut(call))
  for (const call of completeCalls) {
    losses.callName(call)
    // Where all inputs are the same, none can be taken for that of another call.
    if (call.isOutOfOrder && calls.some((other) => !other.arguments.equals(call.arguments)))
      losses.report('calls', `the beginning of ${call.name} before its input`, undefined, 'behind it', call.at)
    const { lost } = call
    if (lost !== undefined) losses.report('reads', lost.what, lost.got, undefined, lost.at)
    const isClosed =
      call.closesToObject && seen.calls.some(({ name, value }) => name === call.name && value === call.closed)
    if (!call.isObject && !isClosed)
      losses.report('input-json', 'the JSON of an object', undefined, `${call.arguments}`, call.at)
    losses.encodedTwice(call)
  }
  const isNamed = (call: AgreedBlock, one: SeenCall): boolean => one.name === call.name
  const isRun = ranInOrder(calls, seen.calls, (call) => agreed.isCut(call), isNamed, isSame)
  if (!isRun) losses.calls(completeCalls, isSame)
}

const isSame = (call: AgreedBlock, seen: SeenCall | undefined): boolean =>
  seen?.name === call.name && call.isGiven(seen.value)
