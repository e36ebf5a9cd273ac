import type { AgreedCall, AgreedPassage } from './agreement/agreed-output.js'
import type { Agreement } from './agreement/agreement.js'
import { callMismatch, citationMismatch, endingMismatch, type Mismatch, textMismatch } from './agreement/mismatch.js'
import {
  type ClientModel,
  type ClientRule,
  callWords,
  ENDING_WORDS,
  hasArguments,
  type Reads,
  type ReportBreak,
  ranInOrder,
  rulesOf,
  type Seen,
  type SeenCall,
} from './client.js'
import { TextHash } from './text-hash.js'

/** The rules for the content that a client must not lose: one for each kind that its user sees. */
export const LOSSES: readonly ClientRule[] = rulesOf({
  'client-ending': 'The client learns how the response ended.',
  'client-error': 'The client shows what went wrong where the response failed.',
  'client-text': 'The client shows the text of the response during streaming.',
  'client-result': 'The result that the client returns has the text of the response.',
  'client-reasoning': 'The client shows the reasoning of the response.',
  'client-calls': 'The client runs each call of the response once, with its arguments.',
  'client-arguments':
    'The arguments of a call are JSON that is encoded once: a tool gets a text instead of its fields otherwise.',
  'client-citations': 'The client shows the citations of the text.',
})

const TERMINAL = 'response.completed, response.incomplete or response.failed'

/** Reports where the client's view differs from the stream as a whole. */
export function compare(seen: Seen, agreed: Agreement, model: ClientModel, reportBreak: ReportBreak): void {
  compareEnding(seen, agreed, model, reportBreak)
  if (seen.ending === 'threw') {
    // An exception leaves no result to compare. If the client always throws at this ending, the text came before.
    const { value: ending } = agreed.ending
    if (ending !== undefined && ending !== 'completed' && model.reads[ending] === 'threw' && seen.final === undefined)
      compareText(seen, agreed, model, reportBreak)
    return
  }
  compareText(seen, agreed, model, reportBreak)
  compareReasoning(seen, agreed, model, reportBreak)
  compareCalls(seen, agreed, model, reportBreak)
  if (model.reads.citations) compareCitations(seen, agreed, reportBreak)
  compareHosted(seen, agreed, model, reportBreak)
}

function compareEnding(seen: Seen, agreed: Agreement, { reads, name }: ClientModel, reportBreak: ReportBreak): void {
  const { value: ending } = agreed.ending
  if (ending === undefined) {
    if (seen.ending !== 'completed') reportBreak('client-ending', TERMINAL, undefined, 'the end of the stream')
    return
  }
  const expected = ending === 'completed' ? ending : reads[ending]
  if (seen.ending === expected) {
    if (ending === 'failed') compareError(seen, agreed, reportBreak)
    return
  }
  const mismatch = endingMismatch(agreed.ending)
  reportMismatch(
    reportBreak,
    'client-ending',
    `${name} to see it ${ENDING_WORDS[expected]}`,
    ENDING_WORDS[seen.ending],
    mismatch,
  )
}

/** Compares the error messages. The client may show the server's message or one of its own. */
function compareError({ error }: Seen, agreed: Agreement, reportBreak: ReportBreak): void {
  const mismatch = agreed.ending.errorMismatch.find(({ value }) => value === error)
  const hasMessage = error !== undefined && error !== ''
  if (hasMessage && mismatch === undefined) return
  const message = agreed.ending.errorMessage ?? ''
  const expected = message === '' ? 'an error message' : `the message ${JSON.stringify(message)}`
  reportBreak('client-error', expected, undefined, hasMessage ? JSON.stringify(error) : 'none', mismatch?.at)
}

function compareText(seen: Seen, agreed: Agreement, { reads }: ClientModel, reportBreak: ReportBreak): void {
  const messages = agreed.output.messages.filter(
    (passage) => (reads.refusals || !passage.isRefusal) && isShown(passage, agreed, reads),
  )
  const text = joined(messages)
  const streamedText = agreed.streamedText.of(reads.refusals ? 'both' : 'text')
  // If messages are streamed in turns, the client shows their texts in that order, and loses nothing.
  const isInterleaved =
    seen.streamed.looksLike(streamedText) && streamedText.length === text.length && wereStreamed(messages)
  if (reads.streamed && !seen.streamed.looksLike(text) && !isInterleaved) {
    reportMismatch(reportBreak, 'client-text', `the text ${text}`, `${seen.streamed}`, textMismatch(messages, true))
  }
  if (reads.final && seen.final !== undefined && !seen.final.looksLike(text)) {
    reportMismatch(reportBreak, 'client-result', `the text ${text}`, `${seen.final}`, textMismatch(messages))
  }
}

/** A client that shows only complete items cannot show an item that a failure or a cancellation cut off. */
const isShown = ({ item }: AgreedPassage, { ending }: Agreement, { wholeMessages }: Reads): boolean =>
  !wholeMessages || (ending.value !== 'failed' && ending.value !== 'cancelled') || item.places.has('done')

function compareReasoning(seen: Seen, agreed: Agreement, { reads }: ClientModel, reportBreak: ReportBreak): void {
  const passages = agreed.output.reasoning.filter(
    (passage) => (passage.isSummary ? reads.summaries : reads.rawReasoning) && isShown(passage, agreed, reads),
  )
  const thought = joined(passages)
  if (seen.reasoning.looksLike(thought)) return
  const streamedReasoning = agreed.streamedReasoning.of(
    reads.summaries ? (reads.rawReasoning ? 'both' : 'summary') : 'raw',
  )
  if (seen.reasoning.equals(streamedReasoning) && streamedReasoning.length === thought.length && wereStreamed(passages))
    return
  reportMismatch(
    reportBreak,
    'client-reasoning',
    `the reasoning ${thought}`,
    `${seen.reasoning}`,
    textMismatch(passages, reads.streamed),
  )
}

function compareCalls(seen: Seen, agreed: Agreement, { reads }: ClientModel, reportBreak: ReportBreak): void {
  const calls = agreed.output.calls.filter(({ type }) =>
    type === 'function_call' ? reads.functionCalls : reads.customCalls,
  )
  const completeCalls = calls.filter(({ isCut }) => !isCut)
  const isSame: Same = (call, one) =>
    isNamed(call, one, reads) && (one.type ?? call.type) === call.type && hasArguments(one, call.arguments)
  for (const { item, name, arguments: given } of completeCalls) {
    const { encodedTwice } = item
    if (item.kind !== 'function_call' || !encodedTwice?.text.equals(given)) continue
    reportBreak('client-arguments', `an object as the arguments of ${name}`, undefined, `${given}`, encodedTwice.at)
  }
  // No tool runs a call without a name, which is what is left of one that was cut off.
  const isCutOff = agreed.ending.value === 'incomplete'
  const isRun = ranInOrder(
    calls,
    isCutOff ? seen.calls.filter(({ name }) => name !== '') : seen.calls,
    ({ isCut }) => isCut,
    (call, one) => isNamed(call, one, reads),
    isSame,
  )
  if (isRun) return
  const lost = completeCalls.filter((call) => !seen.calls.some((one) => isSame(call, one)))
  const mismatch = callMismatch(lost.length > 0 ? lost : completeCalls)
  const expected = completeCalls.map(callWords).join(', ') || 'no call'
  const other = (type: SeenCall['type']): string =>
    type === undefined || completeCalls.every((call) => call.type === type) ? '' : ` (as a ${type})`
  const ran = seen.calls.map((call) => `${callWords(call)}${other(call.type)}`).join(', ') || 'no call'
  reportMismatch(reportBreak, 'client-calls', expected, ran, mismatch)
}

type Same = (call: AgreedCall, seen: SeenCall) => boolean

/** Whether the names match. Some clients include the namespace in the name, and others do not. */
function isNamed({ name, namespace }: AgreedCall, seen: SeenCall, { namespaces }: Reads): boolean {
  return seen.name === (namespaces && namespace !== undefined ? `${namespace}.${name}` : name)
}

function compareCitations(seen: Seen, agreed: Agreement, reportBreak: ReportBreak): void {
  const { messages } = agreed.output
  const citations = messages.flatMap(({ part }) => part.citations)
  if (citations.join('\n') === seen.citations.join('\n')) return
  reportMismatch(
    reportBreak,
    'client-citations',
    citations.join(', ') || 'none',
    seen.citations.join(', ') || 'none',
    citationMismatch(messages),
  )
}

/** Reports a hosted call that the client shows although it is no part of the response. */
function compareHosted(seen: Seen, agreed: Agreement, { reads }: ClientModel, reportBreak: ReportBreak): void {
  if (reads.hosted === undefined) return
  const intended = agreed.output.items
  for (const [id, name] of seen.hostedItems) {
    if (intended.some((item) => item.countOfId(id) > 0)) continue
    reportBreak(reads.hosted, 'only the hosted calls of this response', undefined, `${name} of ${JSON.stringify(id)}`)
  }
}

/** Reports a value with the place that disagrees, and the event there. */
function reportMismatch(
  reportBreak: ReportBreak,
  rule: string,
  expected: string,
  got: string,
  mismatch: Mismatch | undefined,
): void {
  const words = mismatch === undefined ? got : `${got} (${mismatch.words})`
  reportBreak(rule, expected, undefined, words, mismatch?.at)
}

/** Whether these passages were streamed, the parts of each item one after another. */
const wereStreamed = (passages: readonly AgreedPassage[]): boolean =>
  passages.every((one, at) => one.part.text.wasStreamed && !isAhead(one, passages[at - 1]))

/** Whether a part was streamed before the one that precedes it in its item. */
function isAhead({ item, part, isSummary }: AgreedPassage, before: AgreedPassage | undefined): boolean {
  if (before?.item !== item || before.isSummary !== isSummary) return false
  const [first, second] = [before.part.text.streamedFrom, part.text.streamedFrom]
  return first !== undefined && second !== undefined && second.position < first.position
}

const joined = (passages: readonly AgreedPassage[]): TextHash => TextHash.joined(passages.map(({ text }) => text))
