import { ChatAnthropic } from '@langchain/anthropic'
import { type AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import type { MessagesClient } from '../../../../src/judge/conformance/messages/clients/names.js'
import { messageOf } from '../../play.js'
import { callsIn } from '../langchain.js'
import { parsed } from '../meant.js'
import type { Replayer } from '../replay.js'
import { namesIn } from '../replay-ai-sdk.js'
import { endingBy, serverMessage } from './endings.js'

/** ChatAnthropic with tools and thinking, as a stream whose chunks are concatenated: what its documentation shows. */
export const langchainReplayer: Replayer<MessagesClient> = {
  client: 'langchain',
  async replay(body) {
    const fetch = async (): Promise<Response> =>
      new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const model = new ChatAnthropic({
      model: 'gpt-oss',
      apiKey: 'none',
      maxTokens: 4096,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      clientOptions: { baseURL: 'http://replayed.invalid', fetch, maxRetries: 0, logLevel: 'off' },
      maxRetries: 0,
    })
    const tools = namesIn(body).map((name) => ({ name, input_schema: { type: 'object' as const, properties: {} } }))
    let [streamed, reasoning] = ['', '']
    let whole: AIMessageChunk | undefined
    let final: string | undefined
    try {
      for await (const chunk of await model.bindTools(tools).stream([new HumanMessage('Go on.')])) {
        streamed += chunk.text
        for (const { type, thinking } of blocksOf(chunk))
          if (type === 'thinking' && typeof thinking === 'string') reasoning += thinking
        whole = whole === undefined ? chunk : whole.concat(chunk)
      }
      final = whole?.text
    } catch (error) {
      // An application that awaits the whole message gets neither the message nor its calls. The server's error is an
      // API error.
      const { error: body } = Object(error) as { error?: unknown }
      const isOfServer = body !== undefined
      return {
        streamed,
        reasoning,
        calls: [],
        citations: [],
        ending: isOfServer ? 'failed' : 'threw',
        error: isOfServer ? serverMessage(body) : messageOf(error),
      }
    }
    if (whole === undefined) return { streamed, reasoning, calls: [], citations: [], ending: 'open' }
    return {
      streamed,
      ...(final !== undefined && { final }),
      reasoning,
      // The input of a tool that the server runs becomes an invalid call without an id, also in good streams.
      calls: callsIn(whole)
        .filter(({ id }) => Boolean(id))
        .map(({ name = '', args }) => ({ name, arguments: typeof args === 'string' ? parsed(args) : args })),
      citations: final === undefined ? [] : annotationsOf(whole).flatMap(pageOf),
      ...endingBy(whole.additional_kwargs['stop_reason']),
    }
  },
}

/** The annotations of its standard content. */
const annotationsOf = ({ contentBlocks }: AIMessageChunk): readonly unknown[] =>
  contentBlocks.flatMap((block) => (block.type === 'text' ? (block.annotations ?? []) : []))

function pageOf(annotation: unknown): string[] {
  const { type, source, url } = Object(annotation) as { [field: string]: unknown }
  return type === 'citation' && source === 'url' && typeof url === 'string' && url !== '' ? [url] : []
}

const blocksOf = ({ content }: AIMessageChunk): { readonly type?: unknown; readonly thinking?: unknown }[] =>
  (Array.isArray(content) ? content : []) as never
