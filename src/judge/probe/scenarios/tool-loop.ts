import type { Fields } from '../../../shared/fields.js'
import { jsonPreview } from '../finding.js'
import { callOutput, callsIn, userMessage } from '../items.js'
import { inconclusive, type Outcome, type Scenario, type Server } from '../scenario.js'
import { ITEMS_SENT_BACK } from './call.js'
import { GET_WEATHER, INCLUDE, runTool } from './tools.js'

const CITIES = 'Oslo, Bergen, Trondheim, Stavanger, Drammen, Fredrikstad, Kristiansand, Sandnes, Molde and Narvik'
/** One for each city. */
const TURNS = 10

const QUESTION = `What is the weather in ${CITIES}? Call the tool for one city, wait for its output, and go on to the next one.`

export const toolLoop: Scenario = {
  name: 'tool-loop',
  asks: `${TURNS} calls, one after the other: all items go back each time, no call_id repeats, and the last turn is answered.`,
  async run(server) {
    const body = { tools: [GET_WEATHER], include: INCLUDE }
    const seen = new Set<string>()
    let input: readonly Fields[] = [userMessage(QUESTION)]
    let choice: Fields = { tool_choice: 'required' }
    for (let turn = 1; turn <= TURNS; turn++) {
      const request = `turn ${turn}`
      let answer = await server.stream(
        request,
        { ...body, ...choice, input },
        turn === 1 ? { isOptional: true } : ITEMS_SENT_BACK,
      )
      if (answer.refusal !== undefined) {
        server.note(`tool_choice "required" is refused: ${answer.refusal}`)
        choice = {}
        answer = await server.stream(request, { ...body, input })
      }
      const { isGood, items, response } = answer
      if (!isGood) return 'observed'
      const calls = callsIn(items)
      if (response['status'] === 'incomplete') return inconclusive(`the limit of tokens ended turn ${turn}`)
      if (calls.length === 0) return inconclusive(`the model made no call in turn ${turn} of ${TURNS}`)
      for (const { callId } of calls) reportRepeated(server, request, callId, seen)
      input = [...input, ...items, ...calls.map((call) => callOutput(call, runTool(call)))]
    }
    const last = choice['tool_choice'] === undefined ? {} : { tool_choice: 'none' }
    await server.stream('last turn', { ...body, ...last, input }, ITEMS_SENT_BACK)
    return 'observed'
  },
}

/** Outputs are matched by call_id, so one of two calls would never get its output. */
function reportRepeated({ report }: Server, request: string, callId: string, seen: Set<string>): void {
  if (seen.has(callId))
    report(request, { rule: 'call-ids-differ', expected: 'a call_id that no other call has', got: jsonPreview(callId) })
  seen.add(callId)
}

export const parallelCalls: Scenario = {
  name: 'parallel-calls',
  asks: 'Several calls of one tool in one answer, whose outputs go back in another order; parallel_tool_calls: false allows one.',
  async run(server) {
    const input = [
      userMessage('What is the weather in Oslo, Bergen, Molde, Narvik and Tromso? Call the tool for all five at once.'),
    ]
    const body = { input, tools: [GET_WEATHER], include: INCLUDE }
    const outcome = await severalCalls(server, { ...body, parallel_tool_calls: true })
    const single = { ...body, parallel_tool_calls: false }
    const { isGood, items } = await server.stream('parallel_tool_calls: false', single, { isOptional: true })
    const calls = callsIn(items)
    if (isGood && calls.length > 1) {
      const expected = 'one call at most, as parallel_tool_calls: false asks'
      server.report('parallel_tool_calls: false', { rule: 'parallel-kept', expected, got: `${calls.length} calls` })
    }
    return outcome
  },
}

async function severalCalls(server: Server, body: Fields & { readonly input: readonly Fields[] }): Promise<Outcome> {
  const { isGood, items, response } = await server.stream('request', body)
  if (!isGood) return 'observed'
  const calls = callsIn(items)
  if (response['status'] === 'incomplete') return inconclusive('the limit of tokens ended the calls')
  if (calls.length < 2) return inconclusive(`the model made ${calls.length} of 5 calls that were asked for`)
  const seen = new Set<string>()
  for (const { callId } of calls) reportRepeated(server, 'request', callId, seen)
  const outputs = calls.toReversed().map((call) => callOutput(call, runTool(call)))
  await server.stream('round trip', { ...body, input: [...body.input, ...items, ...outputs] }, ITEMS_SENT_BACK)
  return 'observed'
}
