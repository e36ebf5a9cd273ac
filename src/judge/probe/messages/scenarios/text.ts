import { user } from '../../conversation/messages.js'
import { reasoningApart, THINK_FIRST } from '../../conversation/reasoning-apart.js'
import { SENT_BACK } from '../../conversation/round-trip.js'
import { firstDifferingField } from '../../same-shape.js'
import { inconclusive, type Scenario } from '../../scenario.js'
import { blocksOf } from '../message.js'

/** Fields that both forms have, with other values. */
const OTHERWISE: readonly string[] = ['content', 'stop_reason', 'stop_sequence', 'usage', 'stop_details', 'container']

export const messagesText: Scenario = {
  name: 'messages-text',
  asks: 'Messages: a question is answered, streamed and not, and both messages have the same fields.',
  async run({ messages, report }) {
    const body = { messages: [user('Say hello in one short sentence.')] }
    const streamed = await messages.stream('stream', body)
    const whole = await messages.answer('answer', body)
    if (!streamed.isGood || !whole.isGood) return 'observed'
    const difference = firstDifferingField('', streamed.message, whole.message, OTHERWISE)
    if (difference !== undefined)
      report('answer', {
        rule: 'same-shape',
        expected: `as in the stream, ${difference.expected}`,
        got: difference.got,
      })
    return 'observed'
  },
}

export const messagesThinking: Scenario = {
  name: 'messages-thinking',
  asks: 'Messages: thinking comes in blocks of its own with a signature, streamed and not, and may be sent back.',
  async run(server) {
    const { messages } = server
    const question = user(THINK_FIRST)
    const body = { messages: [question], thinking: { type: 'adaptive' } }
    const streamed = await messages.stream('stream', body)
    const whole = await messages.answer('answer', body)
    reasoningApart(server, 'stream', streamed)
    reasoningApart(server, 'answer', whole)
    // The judge reports it for streams.
    if (blocksOf(whole, 'thinking').some(({ signature }) => typeof signature !== 'string'))
      server.report('answer', {
        rule: 'message-shape',
        severity: 'warning',
        expected: 'a signature in each thinking block',
        got: 'none',
      })
    if (!streamed.isGood) return 'observed'
    if ([streamed, whole].every((reply) => blocksOf(reply, 'thinking').length === 0))
      return inconclusive('the model did not think, or it is hidden')
    const assistant = { role: 'assistant', content: streamed.content }
    await messages.stream(
      'sent back',
      { ...body, messages: [question, assistant, user('Say that in three words.')] },
      SENT_BACK,
    )
    return 'observed'
  },
}
