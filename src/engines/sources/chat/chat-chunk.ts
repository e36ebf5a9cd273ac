import type { EndReason, HostUsage } from '../../../core/tokens/token-source.js'
import { describe } from '../../../shared/errors.js'
import { type Fields, fieldsOf, isFields } from '../../../shared/fields.js'
import { EngineError } from '../../contract/engine-error.js'
import { tooMuch } from './too-much.js'

/** What a chunk of a Chat Completions stream says, whatever the server's spelling. */
export interface ChatChunk {
  readonly reasoning: string
  /** The field that had the reasoning. */
  readonly reasoningField: string | undefined
  readonly content: string
  readonly calls: readonly CallPiece[]
  readonly end: EndReason | undefined
  readonly usage: HostUsage | undefined
}

/** A piece of a call. */
export interface CallPiece {
  readonly index?: number
  /** Absent in most pieces. An empty one, which some servers send, counts as absent. */
  readonly id?: string
  readonly name?: string
  readonly args: string
}

/** The characters of a call's name, and of its id, which are kept for the whole turn. */
export const MAX_WORD = 1024

const NO_CALLS: readonly CallPiece[] = []

/**
 * Reads a chunk of a stream, or the whole answer of a server that does not stream.
 *
 * @param reasoningFields - in the order in which they are asked
 * @throws EngineError `server_error`
 */
export function readChunk(chunk: unknown, reasoningFields: readonly string[]): ChatChunk {
  if (!isFields(chunk)) throw malformed('a chunk of a chat completion', chunk)
  const { choices } = chunk
  if (choices !== undefined && choices !== null && !Array.isArray(choices)) throw malformed('choices', choices)
  const choice: unknown = choices?.[0] ?? NOTHING
  if (!isFields(choice)) throw malformed('a choice', choice)
  const delta = fieldsOf(choice['delta'] ?? choice['message'])
  const content = delta['content'] ?? delta['refusal']
  let reasoning = ''
  let reasoningField: string | undefined
  for (const name of reasoningFields) {
    const text = delta[name]
    if (typeof text !== 'string' || text === '') continue
    reasoning = text
    reasoningField = name
    break
  }
  const isText = typeof content === 'string'
  // One object for each token: spreads would be most of its time.
  return {
    reasoning: reasoning === '' && !isText ? thoughtOf(content) : reasoning,
    reasoningField,
    content: isText ? content : contentOf(content),
    calls: callsOf(delta),
    end: endOf(choice['finish_reason']),
    usage: usageOf(chunk['usage'] ?? fieldsOf(chunk['x_groq'])['usage']),
  }
}

const NOTHING: Fields = {}

function malformed(expected: string, got: unknown): EngineError {
  return new EngineError('server_error', `the chat server: expected ${expected}, got ${describe(got)}`)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A content is a text; with some servers, a list of parts. */
function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content)
  return content.map((part) => textOf(fieldsOf(part)['text'])).join('')
}

/** The reasoning in a list of parts. */
function thoughtOf(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content.map((part) => contentOf(fieldsOf(part)['thinking'])).join('')
}

function callsOf({ tool_calls: calls, function_call: call }: Fields): readonly CallPiece[] {
  if (isFields(call)) return [pieceOf({ index: 0, function: call })]
  return Array.isArray(calls) ? calls.map((one) => pieceOf(fieldsOf(one))) : NO_CALLS
}

/** @throws EngineError */
function pieceOf({ index, id, function: callee }: Fields): CallPiece {
  const { name, arguments: args } = fieldsOf(callee)
  for (const word of [id, name])
    if (textOf(word).length > MAX_WORD) throw tooMuch(MAX_WORD, 'characters of a name or an id')
  return {
    ...(typeof index === 'number' && { index }),
    ...(typeof id === 'string' && id !== '' && { id }),
    ...(typeof name === 'string' && name !== '' && { name }),
    args: isFields(args) ? JSON.stringify(args) : textOf(args),
  }
}

/** The reasons that are none of the usual end. */
const REASONS: Readonly<Record<string, EndReason>> = {
  length: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  model_length: 'max_output_tokens',
  content_filter: 'content_filter',
}

/** @throws EngineError if the model failed */
function endOf(reason: unknown): EndReason | undefined {
  if (typeof reason !== 'string' || reason === '') return undefined
  if (reason === 'error') throw new EngineError('server_error', 'the chat server ended the call: error')
  return Object.hasOwn(REASONS, reason) ? (REASONS[reason] as EndReason) : 'stop'
}

function usageOf(usage: unknown): HostUsage | undefined {
  if (!isFields(usage)) return undefined
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = usage
  const counts = {
    inputTokens: prompt_tokens,
    outputTokens: completion_tokens,
    cachedTokens: fieldsOf(prompt_tokens_details)['cached_tokens'] ?? usage['prompt_cache_hit_tokens'],
    reasoningTokens: fieldsOf(completion_tokens_details)['reasoning_tokens'],
  }
  const known = Object.entries(counts).filter(([, count]) => Number.isSafeInteger(count) && (count as number) >= 0)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as HostUsage)
}
