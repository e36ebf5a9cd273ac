import { expect } from 'vitest'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import type { TokenEngine } from '../../../src/engines/contract/index.js'
import { checkEvents, readStreams } from '../../../src/judge/conformance/index.js'
import type { Script } from '../../../src/testing/index.js'
import { endpoint, JSON_TYPE } from './endpoint.js'

/** What a client learns of an answer, in no API's words. */
export interface Said {
  readonly reasoning: string
  readonly text: string
  /** `get_weather {"city":"Rome"}` of each call. */
  readonly calls: readonly string[]
}

/** A function of a request. */
export interface OfferedFunction {
  readonly name: string
  readonly parameters?: object
}

export interface Asked {
  readonly functions?: readonly OfferedFunction[]
  /** The schema of the answer. */
  readonly schema?: object
  /** Default: none. */
  readonly limit?: number
}

export const APIS = ['Responses', 'Chat Completions', 'Messages'] as const
export type Api = (typeof APIS)[number]

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is what it tests
type Wire = any

const joined = (texts: readonly string[]): string => texts.join('\n\n')
const called = (name: string, args: unknown): string => `${name} ${JSON.stringify(args)}`

/** What an API says of a script's answer, streamed or whole. The judge reads a stream of Responses. */
export async function said(
  api: Api,
  given: Script | TokenEngine,
  asked: Asked = {},
  isStreamed = false,
  options: Partial<ResponsesAppOptions> = {},
): Promise<Said> {
  const app = endpoint(given, options)
  const { path, body, whole, streamed } = WIRES[api]
  const request = { model: 'gpt-oss', ...body(asked) }
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ ...request, stream: isStreamed }) }
  const response = await app.send(`/v1${path}`, init)
  if (!isStreamed) return whole(await response.json())
  const text = await response.text()
  if (api === 'Responses') return whole(judged(text).at(-1)?.response)
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'))
  return streamed(lines.map((line) => JSON.parse(line.slice('data: '.length))))
}

/** The events of a stream in which the judge finds no fault but the model's, such as reasoning beside reasoning. */
function judged(text: string): Wire[] {
  const events = readStreams(text).flat()
  expect(checkEvents(events).filter(({ fault }) => fault !== 'model')).toEqual([])
  return events
}

interface ApiWire {
  readonly path: string
  readonly body: (asked: Asked) => object
  readonly whole: (answer: Wire) => Said
  readonly streamed: (events: readonly Wire[]) => Said
}

const WIRES: Readonly<Record<Api, ApiWire>> = {
  Responses: {
    path: '/responses',
    body: ({ functions = [], schema, limit }) => ({
      input: 'Where?',
      tools: functions.map(({ name, parameters }) => ({ type: 'function', name, parameters: parameters ?? ANY })),
      ...(schema !== undefined && { text: { format: { type: 'json_schema', name: 'answer', schema } } }),
      ...(limit !== undefined && { max_output_tokens: limit }),
    }),
    whole: ({ output }) => ({
      reasoning: joined(output.flatMap(({ type, content }: Wire) => (type === 'reasoning' ? textsOf(content) : []))),
      text: joined(output.flatMap(({ type, content }: Wire) => (type === 'message' ? textsOf(content) : []))),
      calls: output.flatMap((item: Wire) =>
        item.type === 'function_call' ? [called(item.name, JSON.parse(item.arguments))] : [],
      ),
    }),
    streamed: () => {
      throw new Error('judged as a whole')
    },
  },
  'Chat Completions': {
    path: '/chat/completions',
    body: ({ functions = [], schema, limit }) => ({
      messages: [{ role: 'user', content: 'Where?' }],
      ...(functions.length > 0 && {
        tools: functions.map(({ name, parameters }) => ({
          type: 'function',
          function: { name, parameters: parameters ?? ANY },
        })),
      }),
      ...(schema !== undefined && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      }),
      ...(limit !== undefined && { max_tokens: limit }),
    }),
    whole: ({ choices: [{ message }] }) => ({
      reasoning: message.reasoning_content ?? '',
      text: message.content ?? '',
      calls: (message.tool_calls ?? []).map(({ function: { name, arguments: args } }: Wire) =>
        called(name, JSON.parse(args)),
      ),
    }),
    streamed: (chunks) => {
      const deltas: Wire[] = chunks.flatMap(({ choices: [choice] }) => (choice === undefined ? [] : [choice.delta]))
      const calls: { name: string; args: string }[] = []
      for (const call of deltas.flatMap(({ tool_calls }) => tool_calls ?? [])) {
        const known = calls[call.index] ?? { name: call.function.name, args: '' }
        calls[call.index] = { ...known, args: known.args + (call.function.arguments ?? '') }
      }
      return {
        reasoning: deltas.map(({ reasoning_content = '' }) => reasoning_content ?? '').join(''),
        text: deltas.map(({ content = '' }) => content ?? '').join(''),
        calls: calls.map(({ name, args }) => called(name, JSON.parse(args))),
      }
    },
  },
  Messages: {
    path: '/messages',
    body: ({ functions = [], schema, limit = 4096 }) => ({
      max_tokens: limit,
      thinking: { type: 'adaptive' },
      messages: [{ role: 'user', content: 'Where?' }],
      tools: functions.map(({ name, parameters }) => ({ name, input_schema: parameters ?? ANY })),
      ...(schema !== undefined && { output_config: { format: { type: 'json_schema', schema } } }),
    }),
    whole: ({ content }) => ({
      reasoning: joined(content.flatMap(({ type, thinking }: Wire) => (type === 'thinking' ? [thinking] : []))),
      text: joined(content.flatMap(({ type, text }: Wire) => (type === 'text' ? [text] : []))),
      calls: content.flatMap(({ type, name, input }: Wire) => (type === 'tool_use' ? [called(name, input)] : [])),
    }),
    streamed: (events) => {
      const blocks: Wire[] = []
      for (const { type, index, content_block, delta } of events) {
        if (type === 'content_block_start') blocks[index] = { ...content_block, json: '' }
        if (type !== 'content_block_delta') continue
        blocks[index].thinking += delta.thinking ?? ''
        blocks[index].text += delta.text ?? ''
        blocks[index].json += delta.partial_json ?? ''
      }
      const input = ({ json }: Wire): unknown => JSON.parse(json || '{}')
      return WIRES.Messages.whole({ content: blocks.map((block) => ({ ...block, input: input(block) })) })
    },
  },
}

const ANY = { type: 'object' }

const textsOf = (parts: Wire): string[] => [parts.map(({ text }: Wire) => text).join('')]
