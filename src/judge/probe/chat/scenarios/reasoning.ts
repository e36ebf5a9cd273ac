import { user } from '../../conversation/messages.js'
import { reasoningApart, THINK_FIRST } from '../../conversation/reasoning-apart.js'
import { inconclusive, type Scenario } from '../../scenario.js'
import { sentBack } from '../message.js'

export const chatReasoning: Scenario = {
  name: 'chat-reasoning',
  asks: 'Chat Completions: reasoning comes apart from the text, streamed and not, and may be sent back.',
  async run(server) {
    const question = user(THINK_FIRST)
    const streamed = await server.chat.stream('stream', { messages: [question] })
    const whole = await server.chat.answer('answer', { messages: [question] })
    reasoningApart(server, 'stream', streamed)
    reasoningApart(server, 'answer', whole)
    if (!streamed.isGood) return 'observed'
    if (streamed.reasoning === '' && whole.reasoning === '')
      return inconclusive('the model did not reason, or it is hidden')
    const back = [question, sentBack(streamed), user('Say that in three words.')]
    const refusal = {
      rule: 'items-go-back',
      expected: "the server's own message, sent back with its reasoning",
    } as const
    await server.chat.stream('sent back', { messages: back }, { refusal })
    return 'observed'
  },
}
