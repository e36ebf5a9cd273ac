import { user } from '../../conversation/messages.js'
import type { Scenario } from '../../scenario.js'
import { completionDifference } from '../same-completion.js'

export const chatText: Scenario = {
  name: 'chat-text',
  asks: 'Chat Completions: a question is answered, streamed and not, and both answers have the same parts.',
  async run({ chat, report }) {
    const body = { messages: [user('Say hello in one short sentence.')] }
    const streamed = await chat.stream('stream', { ...body, stream_options: { include_usage: true } })
    const whole = await chat.answer('answer', body)
    if (!streamed.isGood || !whole.isGood) return 'observed'
    const difference = completionDifference(streamed, whole)
    if (difference !== undefined) report('answer', { rule: 'same-shape', ...difference })
    return 'observed'
  },
}
