import type { AgreedCall, AgreedPassage, Agreement } from './agreement.js'
import type { Breaks, ClientModel, ClientRule, Ending, Reads, Seen, SeenCall } from './client.js'
import { callDissent, citationDissent, type Dissent, endingDissent, textDissent } from './dissent.js'
import { TextHash } from './text-hash.js'

/** What a client must not lose of a stream. One rule for each thing that its user sees. */
export const LOSSES: readonly ClientRule[] = [
  { id: 'client-ending', sentence: 'The client learns how the response ended.', severity: 'error' },
  { id: 'client-error', sentence: 'The client shows what went wrong where the response failed.', severity: 'error' },
  { id: 'client-text', sentence: 'The client shows the text that was made, while it is streamed.', severity: 'error' },
  {
    id: 'client-result',
    sentence: 'The result that the client returns has the text that was made.',
    severity: 'error',
  },
  { id: 'client-reasoning', sentence: 'The client shows the reasoning that was made.', severity: 'error' },
  {
    id: 'client-calls',
    sentence: 'The client runs the calls that were made, once, and with their arguments.',
    severity: 'error',
  },
  { id: 'client-citations', sentence: 'The client shows the citations of the text.', severity: 'error' },
]

const TERMINAL = 'response.completed, response.incomplete or response.failed'

/** Reports what a client lost, or made up, of what a stream says on the whole. */
export function compare(seen: Seen, agreed: Agreement, model: ClientModel, breaks: Breaks): void {
  compareEnding(seen, agreed, model, breaks)
  if (seen.ending === 'threw') {
    // There is no result, and what else is missing follows from it. Where it had to throw, the text came before.
    const { incomplete, failed } = model.reads
    const isMeant = (agreed.ending === 'incomplete' ? incomplete : agreed.ending === 'failed' && failed) === 'threw'
    if (isMeant && seen.final === undefined) compareText(seen, agreed, model, breaks)
    return
  }
  // Of a client that shows whole items, nobody expects what a failure cut off.
  if (!(model.reads.wholeMessages && agreed.ending === 'failed')) {
    compareText(seen, agreed, model, breaks)
    compareReasoning(seen, agreed, model, breaks)
  }
  compareCalls(seen, agreed, model, breaks)
  if (model.reads.citations) compareCitations(seen, agreed, breaks)
}

function compareEnding(seen: Seen, agreed: Agreement, { reads, name }: ClientModel, breaks: Breaks): void {
  const { ending } = agreed
  if (ending === undefined) {
    if (seen.ending !== 'completed') breaks('client-ending', TERMINAL, undefined, 'the end of the stream')
    return
  }
  const expected = ending === 'incomplete' ? reads.incomplete : ending === 'failed' ? reads.failed : ending
  if (seen.ending === expected) {
    if (ending === 'failed') compareError(seen, agreed, breaks)
    return
  }
  const dissent = endingDissent(agreed)
  breaks(
    'client-ending',
    `${name} to see it ${WORDS[expected]}`,
    undefined,
    ...withDissent(WORDS[seen.ending], dissent),
  )
}

/** What a client says went wrong is what the server said, in its own words or in the client's. */
function compareError({ error }: Seen, agreed: Agreement, breaks: Breaks): void {
  const dissent = agreed.errorDissent.find(({ value }) => value === error)
  if (error !== '' && dissent === undefined) return
  const wanted = agreed.errorMessage ?? ''
  const expected = wanted === '' ? 'a message that says what went wrong' : `the message ${JSON.stringify(wanted)}`
  breaks('client-error', expected, undefined, error === '' ? 'none' : JSON.stringify(error), dissent?.at)
}

function compareText(seen: Seen, agreed: Agreement, { reads }: ClientModel, breaks: Breaks): void {
  const messages = agreed.messages.filter(({ isRefusal }) => reads.refusals || !isRefusal)
  const text = joined(messages)
  const shown = agreed.streamed[reads.refusals ? 'both' : 'text']
  // Where messages come in turns, the text is that of all of them as it came, and nothing is lost.
  const isInTurns = seen.streamed.equals(shown) && wereStreamed(messages)
  if (reads.streamed && !seen.streamed.equals(text) && !isInTurns) {
    breaks(
      'client-text',
      `the text ${text}`,
      undefined,
      ...withDissent(`${seen.streamed}`, textDissent(messages, true)),
    )
  }
  if (reads.final && seen.final !== undefined && !seen.final.equals(text)) {
    breaks('client-result', `the text ${text}`, undefined, ...withDissent(`${seen.final}`, textDissent(messages)))
  }
}

function compareReasoning(seen: Seen, agreed: Agreement, { reads }: ClientModel, breaks: Breaks): void {
  const passages = agreed.reasoning.filter(({ isSummary }) => (isSummary ? reads.summaries : reads.rawReasoning))
  const thought = joined(passages)
  if (seen.reasoning.equals(thought)) return
  const shown = agreed.thought[reads.summaries ? (reads.rawReasoning ? 'both' : 'summary') : 'raw']
  if (seen.reasoning.equals(shown) && wereStreamed(passages)) return
  const words = withDissent(`${seen.reasoning}`, textDissent(passages, reads.streamed))
  breaks('client-reasoning', `the reasoning ${thought}`, undefined, ...words)
}

function compareCalls(seen: Seen, agreed: Agreement, { reads }: ClientModel, breaks: Breaks): void {
  const calls = agreed.calls.filter(({ type }) => (type === 'function_call' ? reads.functionCalls : reads.customCalls))
  const wanted = calls.filter(({ isCut }) => !isCut)
  const isSame: Same = (call, one) => isNamed(call, one, reads) && one.arguments.equals(call.arguments)
  if (isRun(calls, seen.calls, isSame, reads)) return
  const lost = wanted.filter((call) => !seen.calls.some((one) => isSame(call, one)))
  const dissent = callDissent(lost.length > 0 ? lost : wanted)
  const expected = wanted.map(callWords).join(', ') || 'no call'
  const ran = seen.calls.map(({ name, arguments: given }) => `${name} with ${given.plain}`).join(', ') || 'no call'
  breaks('client-calls', expected, undefined, ...withDissent(ran, dissent))
}

/** Whether these calls are run, in their order; of those that were cut off, clients offer some or none. */
function isRun(calls: readonly AgreedCall[], seen: readonly SeenCall[], isSame: Same, reads: Reads): boolean {
  let at = 0
  for (const call of calls) {
    const one = seen[at]
    if (call.isCut) {
      if (one !== undefined && isNamed(call, one, reads)) at++
    } else if (one === undefined || !isSame(call, one)) return false
    else at++
  }
  return at === seen.length
}

type Same = (call: AgreedCall, seen: SeenCall) => boolean

/** Clients show a tool of a namespace with it or without. */
function isNamed({ name, namespace }: AgreedCall, seen: SeenCall, { namespaces }: Reads): boolean {
  return seen.name === (namespaces && namespace !== undefined ? `${namespace}.${name}` : name)
}

const callWords = ({ name, arguments: given }: AgreedCall): string => `${name} with ${given.plain}`

function compareCitations(seen: Seen, agreed: Agreement, breaks: Breaks): void {
  const { messages } = agreed
  const citations = messages.flatMap(({ part }) => part.citations)
  if (citations.join('\n') === seen.citations.join('\n')) return
  const words = withDissent(seen.citations.join(', ') || 'none', citationDissent(messages))
  breaks('client-citations', citations.join(', ') || 'none', undefined, ...words)
}

const WORDS: Readonly<Record<Ending, string>> = {
  completed: 'completed',
  incomplete: 'incomplete',
  failed: 'failed',
  threw: 'an exception',
  open: 'no end',
}

/** What came, with whose fault it is, and the event of it. */
function withDissent(got: string, dissent: Dissent | undefined): [words: string, at?: Dissent['at']] {
  if (dissent === undefined) return [got]
  const words = `${got} (${dissent.words})`
  return dissent.at === undefined ? [words] : [words, dissent.at]
}

const wereStreamed = (passages: readonly AgreedPassage[]): boolean =>
  passages.every(({ part }) => part.text.wasStreamed)

function joined(passages: readonly AgreedPassage[]): TextHash {
  const all = new TextHash()
  for (const { text } of passages) all.join(text)
  return all
}
