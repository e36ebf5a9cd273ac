import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Response } from '../../src/core/responses/response.js'
import { toChatCompletion, toMessage } from '../../src/dialects/index.js'
import { anyStream, endReason, run } from '../laws/streams.js'
import { RUNS } from '../support/runs.js'

/** What a client learns of an answer, in no API's words. */
interface Said {
  readonly reasoning: string
  readonly text: string
  /** The calls that the client answers, but for those that the API has no word for, or that were cut off. */
  readonly calls: readonly (readonly [id: string, name: string, input: unknown])[]
  /** Input, of it from the cache, output. */
  readonly tokens: readonly [number, number, number]
  readonly isCut: boolean
}

/** What stands between two messages that are one text in Chat Completions. */
const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n')

const messagesIn = (output: Response['output']): string[] =>
  output.flatMap((item) => (item.type === 'message' ? [item.content.map(({ text }) => text).join('')] : []))

/** Puts blocks together that are one message: a block of Messages ends behind each citation. */
function together(blocks: readonly string[], messages: readonly string[]): string[] {
  const left = [...blocks]
  const texts = messages.map(({ length }) => {
    let text = ''
    while (text.length < length && left.length > 0) text += left.shift()
    return text
  })
  return [...texts, ...left]
}

/** Arguments as clients of Messages have them: an object, which anything else is a field of. */
function inputOf(text: string): unknown {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // As any other text.
  }
  return text.trim() === '' ? {} : { input: text }
}

/** A call by the part of its id that the APIs share. */
const called = (id: string, name: string, input: unknown) => [id.replace(/^(call|toolu)_/, ''), name, input] as const

function byResponses({ output, usage, status }: Response): Said {
  return {
    reasoning: joined(
      output.flatMap((item) => {
        if (item.type !== 'reasoning') return []
        return [(item.content.length > 0 ? item.content : item.summary).map(({ text }) => text).join('')]
      }),
    ),
    text: joined(messagesIn(output)),
    calls: output.flatMap((item) =>
      item.type === 'function_call' && item.status === 'completed'
        ? [called(item.call_id, item.name, inputOf(item.arguments))]
        : [],
    ),
    tokens: [usage?.input_tokens ?? 0, usage?.input_tokens_details.cached_tokens ?? 0, usage?.output_tokens ?? 0],
    isCut: status === 'incomplete',
  }
}

function byChat(response: Response): Said {
  const { choices, usage } = toChatCompletion(response)
  const [choice] = choices
  const whole = new Set(
    response.output.flatMap((item) =>
      item.type === 'function_call' && item.status === 'completed' ? [item.call_id] : [],
    ),
  )
  return {
    reasoning: choice?.message.reasoning_content ?? '',
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' && whole.has(call.id)
        ? [called(call.id, call.function.name, inputOf(call.function.arguments))]
        : [],
    ),
    tokens: [usage?.prompt_tokens ?? 0, usage?.prompt_tokens_details.cached_tokens ?? 0, usage?.completion_tokens ?? 0],
    isCut: choice?.finish_reason === 'length' || choice?.finish_reason === 'content_filter',
  }
}

function byMessages(response: Response): Said {
  const { content, usage, stop_reason } = toMessage(response, { thinking: 'shown' })
  const { input_tokens, cache_read_input_tokens: cached, output_tokens } = usage
  const calls = content.flatMap((block) =>
    block.type === 'tool_use' ? [called(block.id, block.name, block.input)] : [],
  )
  return {
    reasoning: joined(content.map((block) => (block.type === 'thinking' ? block.thinking : ''))),
    text: joined(
      together(
        content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
        messagesIn(response.output),
      ),
    ),
    calls,
    tokens: [input_tokens + cached, cached, output_tokens],
    // A call that is whole is one to run, whatever was cut off behind it.
    isCut:
      calls.length > 0 ? response.status === 'incomplete' : stop_reason === 'max_tokens' || stop_reason === 'refusal',
  }
}

test('Responses, Chat Completions and Messages say the same of every transcript, however it ends', () => {
  fc.assert(
    fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
      const { response } = run(chunks, setup, reason)
      const said = byResponses(response)
      expect(byChat(response)).toEqual(said)
      expect(byMessages(response)).toEqual(said)
    }),
    { numRuns: RUNS },
  )
})

test('each call of a tool that the server ran for its client is the same in Messages as in Responses', () => {
  fc.assert(
    fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
      const { response } = run(chunks, setup, reason)
      const declared = new Set(response.tools.map((tool) => ('server_label' in tool ? tool.server_label : tool.type)))
      const ours = response.output.flatMap((item) => {
        const isOver = 'status' in item && (item.status === 'completed' || item.status === 'failed')
        return item.type === 'mcp_call' && isOver && declared.has(item.server_label)
          ? [[item.server_label, item.name, inputOf(item.arguments), item.output, item.error !== null]]
          : []
      })
      const { content } = toMessage(response)
      const results = content.flatMap((block) => (block.type === 'mcp_tool_result' ? [block] : []))
      const theirs = content.flatMap((block) => {
        if (block.type !== 'mcp_tool_use') return []
        const { is_error: isError, content: said = [] } =
          results.find(({ tool_use_id }) => tool_use_id === block.id) ?? {}
        return [[block.server_name, block.name, block.input, isError ? null : said[0]?.text, isError]]
      })
      expect(theirs).toEqual(ours)
    }),
    { numRuns: RUNS },
  )
})
