import type { Fields } from '../../../shared/fields.js'
import type { Ask } from '../ask.js'
import { callOutput, callsIn, userMessage } from '../items.js'
import { type Answer, inconclusive, type Scenario, type Server } from '../scenario.js'
import { GET_WEATHER, INCLUDE, runTool } from './tools.js'

const IN_WORDS = { streamed: 'streamed', whole: 'not streamed' } as const

export const call: Scenario = roundTrip('call', 'streamed')
export const callWhole: Scenario = roundTrip('call-whole', 'whole')

/** How to treat a refusal of items that the server itself sent. */
export const ITEMS_SENT_BACK: Ask = {
  refusal: {
    rule: 'items-go-back',
    expected: "the server's own items, sent back as they came, with the call's output",
  },
}

function roundTrip(name: string, how: keyof typeof IN_WORDS): Scenario {
  return {
    name,
    asks: `A function call, ${IN_WORDS[how]}; its items go back as they came, with the output, and are answered.`,
    async run(server) {
      const send = how === 'streamed' ? server.stream : server.answer
      const input = [userMessage('What is the weather in Oslo right now? Use the tool.')]
      const body = { input, tools: [GET_WEATHER], include: INCLUDE }
      const first = await callOf(server, send, body)
      if (!first.isGood) return 'observed'
      const calls = callsIn(first.items)
      if (first.response['status'] === 'incomplete') return inconclusive('the limit of tokens ended the call')
      if (calls.length === 0) return inconclusive('the model called no tool, asked twice')
      const back = [...input, ...first.items, ...calls.map((each) => callOutput(each, runTool(each)))]
      await send('round trip', { ...body, input: back }, ITEMS_SENT_BACK)
      return 'observed'
    },
  }
}

/** An answer with a call, if the model makes one. The second request requires it. */
async function callOf(server: Server, send: Server['stream'], body: Fields): Promise<Answer> {
  const first = await send('request', body)
  if (!first.isGood || callsIn(first.items).length > 0) return first
  const second = await send('request with tool_choice', { ...body, tool_choice: 'required' }, { isOptional: true })
  if (second.refusal !== undefined) server.note(`tool_choice "required" is refused: ${second.refusal}`)
  return second.isGood ? second : first
}
