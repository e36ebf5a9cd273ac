import { shapeDifference } from '../same-shape.js'
import type { Scenario } from '../scenario.js'

export const plain: Scenario = {
  name: 'plain',
  asks: 'A question is answered, streamed and not, and both answers have the same form.',
  async run(server) {
    const body = { input: 'Say hello in one short sentence.' }
    const streamed = await server.stream('stream', body)
    const whole = await server.answer('answer', body)
    if (!streamed.isGood || !whole.isGood) return 'observed'
    const difference = shapeDifference(streamed.response, whole.response)
    if (difference !== undefined) {
      const expected = `the streamed response's form: ${difference.expected}`
      server.report('answer', { rule: 'same-shape', expected, got: difference.got })
    }
    return 'observed'
  },
}
