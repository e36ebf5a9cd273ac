import type { Agreement } from './agreement.js'
import type { Breaks, ClientModel, ClientRule, Ending, Seen } from './client.js'
import { TextDigest } from './text-digest.js'

/** What a client must not lose of a stream. One rule for each thing that its user sees. */
export const LOSSES: readonly ClientRule[] = [
  { id: 'client-ending', sentence: 'The client learns how the response ended.', severity: 'error' },
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

/** Reports what a client lost, or made up, of what a stream says on the whole. */
export function compare(seen: Seen, agreed: Agreement, { reads, name }: ClientModel, breaks: Breaks): void {
  const { ending } = agreed
  const expected = ending === undefined ? undefined : endingFor(ending, reads)
  if (seen.ending !== expected) {
    const wanted = expected === undefined ? 'a terminal event' : `${name} to see it ${WORDS[expected]}`
    breaks('client-ending', wanted, seen.ending, WORDS[seen.ending])
  }
  // After an exception the application has no result: what else is missing follows from it.
  if (seen.ending === 'threw') return

  const messages = agreed.messages.filter(({ isRefusal }) => reads.refusals || !isRefusal)
  const text = joined(messages.map(({ text }) => text.winner))
  if (reads.streamed && !seen.streamed.equals(text) && !isInterleaved(seen, agreed)) {
    breaks('client-text', `the text ${text}`, undefined, `${seen.streamed}`)
  }
  if (seen.final !== undefined && reads.final && !seen.final.equals(text)) {
    breaks('client-result', `the text ${text}`, undefined, `${seen.final}`)
  }

  const reasoning = agreed.reasoning.filter(({ isSummary }) => (isSummary ? reads.summaries : reads.rawReasoning))
  const thought = joined(reasoning.map(({ text }) => text.winner))
  if (!seen.reasoning.equals(thought))
    breaks('client-reasoning', `the reasoning ${thought}`, undefined, `${seen.reasoning}`)

  const calls = agreed.calls.filter(
    ({ type, isCut }) => !isCut && (type === 'function_call' ? reads.functionCalls : reads.customCalls),
  )
  const wanted = calls.map(({ name, arguments: given }) => `${name.winner ?? ''} with ${given.winner ?? ''}`)
  const same =
    calls.length === seen.calls.length &&
    calls.every(({ name, arguments: given }, at) => {
      const call = seen.calls[at]
      return call?.name === (name.winner ?? '') && call.arguments.equals(given.winner ?? EMPTY)
    })
  if (!same) {
    const ran = seen.calls.map(({ name, arguments: given }) => `${name} with ${given}`)
    breaks('client-calls', wanted.join(', ') || 'no call', undefined, ran.join(', ') || 'no call')
  }

  if (reads.citations) {
    const citations = agreed.citations.flatMap((urls) => urls.winner ?? [])
    if (citations.join('\n') !== seen.citations.join('\n')) {
      breaks('client-citations', citations.join(', ') || 'none', undefined, seen.citations.join(', ') || 'none')
    }
  }
}

const EMPTY = new TextDigest()

const WORDS: Readonly<Record<Ending, string>> = {
  completed: 'completed',
  incomplete: 'incomplete',
  failed: 'failed',
  threw: 'an exception',
  open: 'no end',
}

function endingFor(ending: Ending, { incomplete, failed }: ClientModel['reads']): Ending {
  if (ending === 'incomplete') return incomplete
  return ending === 'failed' ? failed : ending
}

/** Whether all text was streamed as it is, but that of several messages in turns: then nothing is lost. */
function isInterleaved({ streamed }: Seen, agreed: Agreement): boolean {
  return streamed.equals(agreed.streamed) && agreed.messages.every(({ wasStreamed }) => wasStreamed)
}

function joined(texts: readonly (TextDigest | undefined)[]): TextDigest {
  const all = new TextDigest()
  for (const text of texts) if (text !== undefined) all.join(text)
  return all
}
