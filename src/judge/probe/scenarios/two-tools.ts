import { jsonPreview } from '../finding.js'
import { callOutput, callsIn, userMessage } from '../items.js'
import { inconclusive, type Scenario } from '../scenario.js'
import { ITEMS_SENT_BACK } from './call.js'
import { GET_TIME, GET_WEATHER, INCLUDE, runTool } from './tools.js'

export const twoTools: Scenario = {
  name: 'two-tools',
  asks: 'Two calls in one answer, of two tools, each with a unique call_id; both outputs go back and are answered.',
  async run(server) {
    const text = 'What is the weather in Oslo, and what time is it there? Call both tools at once, then answer.'
    const input = [userMessage(text)]
    const body = { input, tools: [GET_WEATHER, GET_TIME], parallel_tool_calls: true, include: INCLUDE }
    const first = await server.stream('request', body)
    if (!first.isGood) return 'observed'
    const calls = callsIn(first.items)
    if (first.response['status'] === 'incomplete') return inconclusive('the limit of tokens ended the calls')
    if (calls.length < 2) {
      return inconclusive(`the model made ${calls.length === 0 ? 'no call' : 'one call'} where two were asked for`)
    }
    const ids = calls.map(({ callId }) => callId)
    if (new Set(ids).size < ids.length) {
      // Outputs are matched by call_id, so one of the calls would never get its output.
      server.report('request', {
        rule: 'call-ids-differ',
        expected: 'a unique call_id for each call',
        got: jsonPreview(ids),
      })
    }
    const back = [...input, ...first.items, ...calls.map((each) => callOutput(each, runTool(each)))]
    await server.stream('round trip', { ...body, input: back }, ITEMS_SENT_BACK)
    return 'observed'
  },
}
