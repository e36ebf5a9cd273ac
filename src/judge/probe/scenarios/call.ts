import type { Fields } from '../../../shared/fields.js'
import { jsonPreview } from '../finding.js'
import { callOutput, callsIn, userMessage } from '../items.js'
import type { OnRefusal } from '../on-refusal.js'
import { type Answer, inconclusive, type Outcome, type Scenario, type Server } from '../scenario.js'
import { GET_TIME, GET_WEATHER, INCLUDE, runTool } from './tools.js'

const ONE = {
  question: 'What is the weather in Oslo right now? Use the tool.',
  body: { tools: [GET_WEATHER] },
  calls: 1,
} as const

const TWO = {
  question: 'What is the weather in Oslo, and what time is it there? Call both tools at once, then answer.',
  body: { tools: [GET_WEATHER, GET_TIME], parallel_tool_calls: true },
  calls: 2,
} as const

export const call: Scenario = {
  name: 'call',
  asks: 'A function call, streamed; its items go back as they came, with the output, and are answered.',
  run: (server) => roundTrip(server, server.stream, ONE),
}

export const callWhole: Scenario = {
  name: 'call-whole',
  asks: 'A function call, not streamed; its items go back as they came, with the output, and are answered.',
  run: (server) => roundTrip(server, server.answer, ONE),
}

export const twoTools: Scenario = {
  name: 'two-tools',
  asks: 'Two calls in one answer, of two tools, each with a unique call_id; both outputs go back and are answered.',
  run: (server) => roundTrip(server, server.stream, TWO),
}

/** How to treat a refusal of items that the server itself sent. */
export const ITEMS_SENT_BACK: OnRefusal = {
  refusal: {
    rule: 'items-go-back',
    expected: "the server's own items, sent back as they came, with the call's output",
  },
}

async function roundTrip(
  server: Server,
  send: Server['stream'],
  { question, body: tools, calls: needed }: typeof ONE | typeof TWO,
): Promise<Outcome> {
  const input = [userMessage(question)]
  const body = { input, ...tools, include: INCLUDE }
  const first = needed === 1 ? await callOf(server, send, body) : await send('request', body)
  if (!first.isGood) return 'observed'
  const calls = callsIn(first.items)
  const cut = needed === 1 ? 'the call' : 'the calls'
  if (first.response['status'] === 'incomplete') return inconclusive(`the limit of tokens ended ${cut}`)
  if (calls.length < needed) {
    if (needed === 1) return inconclusive('the model called no tool, asked twice')
    return inconclusive(`the model made ${calls.length === 0 ? 'no call' : 'one call'} where two were asked for`)
  }
  const ids = calls.map(({ callId }) => callId)
  // Outputs are matched by call_id, so one of the calls would never get its output.
  if (needed > 1 && new Set(ids).size < ids.length) {
    const expected = 'a unique call_id for each call'
    server.report('request', { rule: 'call-ids-differ', expected, got: jsonPreview(ids) })
  }
  const back = [...input, ...first.items, ...calls.map((each) => callOutput(each, runTool(each)))]
  await send('round trip', { ...body, input: back }, ITEMS_SENT_BACK)
  return 'observed'
}

/** An answer with a call, if the model makes one. The second request requires it. */
async function callOf(server: Server, send: Server['stream'], body: Fields): Promise<Answer> {
  const first = await send('request', body)
  if (!first.isGood || callsIn(first.items).length > 0) return first
  const second = await send('request with tool_choice', { ...body, tool_choice: 'required' }, { isOptional: true })
  if (second.refusal !== undefined) server.note(`tool_choice "required" is refused: ${second.refusal}`)
  return second.isGood ? second : first
}
