import { AnswerLosses, type AnswerWords, answerLosses } from '../../clients/answer-losses.js'
import { type ClientRule, type ReportBreak, rulesOf, type Seen, type SeenCall } from '../../clients/client.js'
import { TextHash } from '../../clients/text-hash.js'
import type { AgreedChatCall, AgreedChoice } from './agreed-choice.js'
import type { ChatAgreement } from './agreement.js'
import type { ChatClientModel, ChatReads } from './client.js'
import { asksForCalls } from './finish-reasons.js'

const WORDS: AnswerWords = { api: 'chat', ending: 'finish_reason', reasoning: 'reasoning', input: 'arguments' }

/** The rules for the content that a client must not lose: one for each kind that its user sees. */
export const CHAT_LOSSES: readonly ClientRule[] = [
  ...answerLosses(WORDS),
  ...rulesOf({
    'chat-client-reads': {
      sentence:
        'The delta of a choice is an object, and a call has a function or a custom tool: clients skip anything else, with its ' +
        'content.',
      explainsLosses: true,
    },
    'chat-client-arguments':
      'The arguments of a call are JSON that is encoded once: a tool gets a text instead of its fields otherwise.',
  }),
]

/** Reports where the client's view differs from the stream as a whole. */
export function compare(seen: Seen, agreed: ChatAgreement, model: ChatClientModel, report: ReportBreak): void {
  const { reads } = model
  const losses = new AnswerLosses(WORDS, seen, report)
  compareEnding(seen, agreed, model, losses)
  if (seen.ending === 'threw') return
  const choices = shownOf(agreed, reads)
  compareText(seen, agreed, reads, losses)
  if (reads.reasoning) losses.reasoning(TextHash.joined(choices.map(({ reasoning }) => reasoning)))
  // A stream that fails gives no result with calls.
  if (agreed.ending !== 'failed') compareCalls(seen, choices, losses)
  for (const choice of choices) {
    const { unreadable } = choice
    if (unreadable === undefined || choice.isCut(unreadable.call)) continue
    const isShown =
      unreadable.beside === 'reasoning' ? reads.reasoning : unreadable.beside !== 'call' || agreed.ending !== 'failed'
    if (isShown) losses.report('reads', unreadable.what, unreadable.got, undefined, unreadable.at)
  }
}

function compareEnding(seen: Seen, agreed: ChatAgreement, model: ChatClientModel, losses: AnswerLosses): void {
  const { ending, reason: finish } = agreed
  if (ending === undefined) {
    // An unknown finish_reason is passed on as it is.
    if (seen.ending !== 'open' || finish === undefined)
      losses.report('ending', 'a finish_reason', undefined, finish ?? 'the end of the stream')
    else losses.report('ending', 'a finish_reason that clients know', finish)
    return
  }
  const isToCall = asksForCalls(finish)
  if (ending === 'completed' && seen.ending === ending && isToCall !== asksForCalls(seen.finish))
    losses.report('ending', `finish_reason "${finish}"`, seen.finish, undefined, agreed.choices[0]?.deniedAt)
  if (isToCall && agreed.choices[0]?.calls.length === 0)
    losses.report('ending', `a call before finish_reason "${finish}"`, undefined, 'none')
  losses.ending(model, ending, ending === 'incomplete' ? model.reads.incomplete : ending)
}

function compareText(seen: Seen, agreed: ChatAgreement, reads: ChatReads, losses: AnswerLosses): void {
  const whole = TextHash.joined(shownOf(agreed, reads).flatMap(({ text, refusal }) => [text, refusal]))
  // If a text and a refusal alternate, the client shows them in that order, and loses nothing.
  const isInTurn = seen.streamed.equals(agreed.streamed) && (reads.choices === 'all' || agreed.choices.length < 2)
  losses.text(whole, isInTurn)
}

function compareCalls(seen: Seen, choices: readonly AgreedChoice[], losses: AnswerLosses): void {
  const calls = choices.flatMap((choice) => choice.calls)
  const isCut = (call: AgreedChatCall): boolean => choices.some((choice) => choice.isCut(call))
  for (const call of calls) {
    if (isCut(call)) continue
    losses.callName(call)
    losses.encodedTwice(call)
    if (call.isOutOfOrder)
      losses.report('calls', `the name of ${call.name} before its arguments`, undefined, 'behind them', call.at)
  }
  // A call that was cut off is passed on, in whatever form.
  const isRun =
    calls.length === seen.calls.length && calls.every((call, at) => isCut(call) || isSame(call, seen.calls[at]))
  if (!isRun) losses.calls(calls, isSame)
}

const isSame = (call: AgreedChatCall, seen: SeenCall | undefined): boolean =>
  seen?.name === call.name && seen.arguments.equals(call.arguments)

/** The choices that a client shows. */
function shownOf({ choices }: ChatAgreement, reads: ChatReads): readonly AgreedChoice[] {
  return reads.choices === 'all' ? choices : choices.slice(0, 1)
}
