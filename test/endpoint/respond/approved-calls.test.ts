import { expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { encodeHarmony, encodeText, m } from '../../support/tokens.js'
import { ANSWER, type Run, run } from './scripted.js'

const payment = (n: number) => ({ server_label: 'bank', name: 'pay', arguments: `{"n":${n}}` })
const asked = (n: number) => ({ type: 'mcp_approval_request', id: `mcpr_${n}`, ...payment(n) })
const answered = (n: number, approve: boolean) => ({
  ...{ type: 'mcp_approval_response', approval_request_id: `mcpr_${n}`, approve },
})
const approved = (n: number) => {
  const { server_label: serverLabel, ...call } = payment(n)
  return { approvalRequestId: `mcpr_${n}`, serverLabel, ...call }
}
const LOOK = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
const LOOKED = { type: 'function_call_output', call_id: 'call_1', output: 'I see' }

/** Four payments and a call of the client's, made together. The client answers from the last to the first. */
const REQUEST = {
  tools: [
    { type: 'mcp', server_label: 'bank' },
    { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false },
  ],
  input: [
    { type: 'message', role: 'user', content: 'Pay.' },
    ...[asked(1), asked(2), asked(3), LOOK, asked(4)],
    ...[answered(4, false), LOOKED, answered(3, true), answered(2, false), answered(1, true)],
  ],
} as unknown as ResponseRequest

const DENIED = 'The user did not approve this call.'
const START = [m.start, ...encodeText('assistant')]

/** What a process does that continues from some entries, and the contexts of its model calls. */
async function paid(entries: Run['entries'] = []): Promise<Run & { readonly contexts: readonly number[][] }> {
  const contexts: number[][] = []
  const script = encodeHarmony(ANSWER)
  const whole = await run(REQUEST, {
    entries,
    approvedCalls: [approved(3), approved(1)],
    engine: {
      generate(prompt) {
        const context = [...prompt]
        contexts.push(context)
        const begun = context.findLastIndex((_, at) => START.every((id, offset) => context[at + offset] === id))
        return tokenStream(async function* () {
          yield* script.slice(context.length - begun - START.length)
          return { reason: 'stop' as const }
        })
      },
      health: async () => {},
    },
  })
  return { ...whole, contexts }
}

/** A result as the model reads it. */
const read = (tool: string, text: string): string =>
  `<|start|>${tool} to=assistant<|channel|>commentary<|message|>${text}<|end|>`
const resultsAre = (first: string, third: string): number[] => {
  const payments = [read('bank.pay', first), read('bank.pay', DENIED), read('bank.pay', third)]
  return encodeHarmony([...payments, read('functions.look', 'I see'), read('bank.pay', DENIED)].join(''))
}
const RESULTS = resultsAre('answer to {"n":1}', 'answer to {"n":3}')

test('approved calls run, and their results and those of the client are read, in the order of the calls', async () => {
  const { contexts, output } = await paid()
  const items = output.flatMap((item) => (item.type === 'mcp_call' ? [item.approval_request_id] : []))
  expect(items).toEqual(['mcpr_1', 'mcpr_3'])
  expect(contexts[0]?.slice(-RESULTS.length - START.length)).toEqual([...RESULTS, ...START])
})

test('a process that continues a response with approved calls has the results in the same order, also of those that were interrupted', async () => {
  const whole = await paid()
  const INTERRUPTED = 'The call was interrupted. It may have run, or may not.'
  for (const [at] of whole.entries.entries()) {
    const entries: Run['entries'] = JSON.parse(JSON.stringify(whole.entries.slice(0, at)))
    const [context] = (await paid(entries)).contexts
    if (context === undefined) continue
    const done = entries.flatMap((entry) => (entry.type === 'tool_result' ? [entry.itemId] : []))
    const interrupted = entries.filter((entry) => entry.type === 'tool_started' && !done.includes(entry.itemId))
    // An approved call runs once.
    const started = new Set(interrupted.flatMap((entry) => (entry.type === 'tool_started' ? [entry.itemId] : [])))
    const [first, second] = whole.output.filter(({ type }) => type === 'mcp_call')
    const resultOf = (item: typeof first, text: string): string => (started.has(item?.id ?? '') ? INTERRUPTED : text)
    const results = resultsAre(resultOf(first, 'answer to {"n":1}'), resultOf(second, 'answer to {"n":3}'))
    const from = whole.entries[0]?.type === 'open' ? whole.entries[0].prompt.tokens : 0
    expect(context.slice(from, from + results.length)).toEqual(results)
  }
})

test('a transcript has no results that the request brought, which the next prompt has from their items', async () => {
  const { transcript } = await paid()
  const own = read('bank.pay', 'answer to {"n":1}') + read('bank.pay', 'answer to {"n":3}')
  expect(transcript).toEqual([...encodeHarmony(own), ...START, ...encodeHarmony(ANSWER)])
})
