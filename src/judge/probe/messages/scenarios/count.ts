import { user } from '../../conversation/messages.js'
import { jsonPreview } from '../../finding.js'
import { inconclusive, type Scenario } from '../../scenario.js'
import { COUNT_FAR } from '../../scenarios/truncation.js'

/** A count is an estimate at Anthropic: up to twice the tokens of the answer's prompt, or half of them. */
const MOST = 2

export const messagesCount: Scenario = {
  name: 'messages-count',
  asks: 'Messages: count_tokens counts a request about as its answer does, and more for a longer one.',
  async run({ messages: api, report }) {
    const messages = [user('Say hello in one short sentence.')]
    const { isGood, usage } = await api.stream('stream', { messages })
    if (!isGood) return 'observed'
    const longer = [...messages, { role: 'assistant', content: 'Hello there!' }, user(COUNT_FAR)]
    const counts: number[] = []
    for (const [request, sentMessages] of [
      ['count', messages],
      ['count of more', longer],
    ] as const) {
      const counted = await api.count(request, { messages: sentMessages })
      if (counted === undefined) return 'observed'
      const { input_tokens: tokens } = counted
      if (typeof tokens === 'number' && tokens > 0) counts.push(tokens)
      else report(request, { rule: 'tokens-counted', expected: 'input_tokens', got: jsonPreview(counted) })
    }
    const [one, more] = counts
    if (one === undefined || more === undefined) return 'observed'
    if (more <= one)
      report('count of more', { rule: 'tokens-counted', expected: `more than ${one} tokens`, got: String(more) })
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
    const used = [input_tokens, cache_read_input_tokens, cache_creation_input_tokens]
      .filter((tokens) => typeof tokens === 'number')
      .reduce((sum, tokens) => sum + tokens, 0)
    if (used === 0) return inconclusive('the server does not count the input tokens of its answers')
    if (one > MOST * used || used > MOST * one)
      report('count', { rule: 'tokens-counted', expected: `about ${used} tokens, as in usage`, got: String(one) })
    return 'observed'
  },
}
