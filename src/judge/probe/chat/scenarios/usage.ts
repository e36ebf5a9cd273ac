import { user } from '../../conversation/messages.js'
import { jsonPreview } from '../../finding.js'
import { inconclusive, type Scenario, unsupported } from '../../scenario.js'

export const chatUsage: Scenario = {
  name: 'chat-usage',
  asks: 'Chat Completions: include_usage brings the token counts in a last chunk, and without it there are none.',
  async run({ chat, report }) {
    const body = { messages: [user('Say hello in one short sentence.')] }
    const withUsage = await chat.stream(
      'with include_usage',
      { ...body, stream_options: { include_usage: true } },
      { isOptional: true },
    )
    if (withUsage.declined !== undefined) return unsupported(`stream_options is refused: ${withUsage.declined}`)
    const plain = await chat.stream('without', body)
    if (withUsage.isGood && withUsage.usage === undefined) {
      report('with include_usage', { rule: 'usage-kept', expected: 'usage in the last chunk', got: 'none' })
    }
    if (plain.isGood && plain.usage !== undefined) {
      const got = jsonPreview(plain.usage)
      report('without', { rule: 'usage-kept', severity: 'warning', expected: 'no usage, as none is asked for', got })
    }
    return withUsage.isGood || plain.isGood ? 'observed' : inconclusive('no stream was answered')
  },
}
