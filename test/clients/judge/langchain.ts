import { type AIMessageChunk, HumanMessage } from '@langchain/core/messages'
import { parsePartialJson } from '@langchain/core/output_parsers'
import { ChatOpenAI } from '@langchain/openai'
import type { Ending } from '../../../src/judge/conformance/clients/client.js'
import { messageOf } from '../play.js'
import { parsed } from './meant.js'
import type { Outcome, Replayer } from './replay.js'

/** ChatOpenAI over the Responses API, as a stream whose chunks are concatenated: what its documentation shows. */
export function langchainReplayer(): Replayer {
  return { client: 'langchain', replay }
}

async function replay(body: string): Promise<Outcome> {
  const model = new ChatOpenAI({
    model: 'gpt-oss',
    apiKey: 'none',
    configuration: { baseURL: 'http://localhost/v1', fetch: async () => responseOf(body) },
    useResponsesApi: true,
    maxRetries: 0,
  })
  let streamed = ''
  let reasoning = ''
  let whole: AIMessageChunk | undefined
  try {
    for await (const chunk of await model.stream([new HumanMessage('Go on.')])) {
      streamed += chunk.text
      for (const block of blocksOf(chunk)) if (block.type === 'reasoning') reasoning += block.reasoning
      whole = whole === undefined ? chunk : whole.concat(chunk)
    }
  } catch (error) {
    // An application that awaits the whole message gets neither the message nor its calls.
    return { streamed, reasoning, calls: [], citations: [], ending: 'threw', error: messageOf(error) }
  }
  if (whole === undefined) return { streamed, reasoning, calls: [], citations: [], ending: 'open' }
  return {
    streamed,
    final: whole.text,
    reasoning,
    calls: callsOf(whole),
    citations: blocksOf(whole).flatMap(({ annotations = [] }) => annotations.flatMap(sourceOf)),
    spans: blocksOf(whole).flatMap(({ annotations = [] }) => annotations.map(spanOf)),
    ending: endingOf(whole.response_metadata['status']),
  }
}

function responseOf(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

interface Block {
  readonly type: string
  readonly reasoning?: unknown
  readonly annotations?: readonly Citation[]
}

interface Citation {
  readonly type: string
  readonly url?: unknown
  readonly file_id?: unknown
  readonly startIndex?: unknown
  readonly endIndex?: unknown
}

const blocksOf = ({ content }: AIMessageChunk): Block[] => (Array.isArray(content) ? content : []) as never

const spanOf = ({ startIndex, endIndex }: Citation): string => `${startIndex} to ${endIndex}`

/** It passes unknown annotations on as `non_standard`, which applications do not treat as citations. */
function sourceOf({ type, url, file_id }: Citation): string[] {
  const source = url ?? file_id
  return type === 'citation' && typeof source === 'string' ? [source] : []
}

/** The calls of a message, with those whose arguments are invalid JSON, or which have no id: it passes them on as text. */
export function callsIn({ tool_calls = [], invalid_tool_calls = [], tool_call_chunks = [] }: AIMessageChunk): readonly {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly args?: unknown
}[] {
  const order = tool_call_chunks.map(({ id }) => id)
  return [...tool_calls, ...invalid_tool_calls].sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
}

/**
 * The arguments of a call as its tools get them: by LangChain's own parser, which closes JSON that lacks its end. It runs
 * such a call, and so loses nothing of it.
 */
export function langchainArguments(text: string): unknown {
  try {
    const value = parsePartialJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : parsed(text)
  } catch {
    return parsed(text)
  }
}

/** Without its computer calls: no other client of this kind has them. */
function callsOf(message: AIMessageChunk): Outcome['calls'] {
  const chunks = message.tool_call_chunks ?? []
  const custom = new Set(chunks.flatMap((chunk) => ('isCustomTool' in chunk ? [chunk.id] : [])))
  return callsIn(message).flatMap(({ name = '', args, id }) => {
    if (name === 'computer_use') return []
    const given = custom.has(id) ? (args as { input: string }).input : args
    return [{ name, arguments: typeof given === 'string' ? parsed(given) : given }]
  })
}

function endingOf(status: unknown): Ending {
  return status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled'
    ? status
    : 'open'
}
