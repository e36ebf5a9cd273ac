import { preview } from '../../finding.js'
import { firstDifferingField } from '../../same-shape.js'
import { inconclusive, type Scenario } from '../../scenario.js'
import { blocksOf, textOf } from '../message.js'
import { SENT_BACK } from './call.js'
import { user } from './tools.js'

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

/** How models mark what belongs to no text: Harmony, and those that think in tags. */
const MARKERS = /<\|\w+\|>|<\/?think(ing)?>/

export const messagesThinking: Scenario = {
  name: 'messages-thinking',
  asks: 'Messages: thinking comes in blocks of its own with a signature, streamed and not, and may be sent back.',
  async run({ messages, report }) {
    const question = user('Is 1001 a prime number? Think first, then answer in one sentence.')
    const body = { messages: [question], thinking: { type: 'adaptive' } }
    const streamed = await messages.stream('stream', body)
    const whole = await messages.answer('answer', body)
    for (const [request, reply] of [
      ['stream', streamed],
      ['answer', whole],
    ] as const) {
      const [marker] = MARKERS.exec(textOf(reply)) ?? []
      const expected = 'a text without markers of the model'
      if (marker !== undefined)
        report(request, { rule: 'reasoning-apart', expected, got: `${marker} in ${preview(textOf(reply))}` })
    }
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
