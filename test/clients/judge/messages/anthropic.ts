import Anthropic, { APIError } from '@anthropic-ai/sdk'
import type { MessagesClient } from '../../../../src/judge/conformance/messages/clients/names.js'
import type { Replayer } from '../replay.js'
import { pagesIn } from './citations.js'
import { endingBy, serverMessage } from './endings.js'

interface Block {
  readonly type: unknown
  readonly text?: unknown
  readonly thinking?: unknown
  readonly citations?: unknown
  readonly name?: unknown
  readonly input?: unknown
}

/** `messages.stream()`: text and thinking as its events show them, the rest as `finalMessage()` has it. */
export const anthropicReplayer: Replayer<MessagesClient> = {
  client: 'anthropic',
  async replay(body) {
    const client = new Anthropic({
      baseURL: 'http://server.invalid',
      apiKey: 'none',
      maxRetries: 0,
      logLevel: 'off',
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    })
    let [streamed, thought] = ['', '']
    try {
      const stream = client.messages.stream({
        model: 'gpt-oss',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Hello' }],
      })
      stream.on('text', (text) => {
        streamed += text
      })
      stream.on('thinking', (thinking) => {
        thought += thinking
      })
      const message = await stream.finalMessage()
      const content = message.content as unknown as readonly Block[]
      const all = (type: 'text' | 'thinking'): string =>
        content.flatMap((block) => (block.type === type ? [`${block[type] ?? ''}`] : [])).join('')
      const thinking = all('thinking')
      return {
        streamed,
        final: all('text'),
        reasoning: thinking === thought ? thinking : `${thought}\n${thinking}`,
        // No application reads the input of another block, at which the SDK may throw.
        calls: content
          .filter(({ type }) => type === 'tool_use')
          .map(({ name, input }) => ({ name: `${name}`, arguments: input === undefined ? 'undefined' : input })),
        citations: content.flatMap(({ type, citations }) => (type === 'text' ? pagesIn(citations) : [])),
        ...endingBy(message.stop_reason),
      }
    } catch (error) {
      // An error that the server sends is an API error; input that the SDK refuses is an error of its own.
      const isOfServer = error instanceof APIError
      const words = isOfServer ? serverMessage(error.error) : String(error)
      return {
        streamed,
        reasoning: isOfServer ? thought : '',
        calls: [],
        citations: [],
        ending: isOfServer ? 'failed' : 'threw',
        error: words,
      }
    }
  },
}
