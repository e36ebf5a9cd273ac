import type { Logprob, MessageItem, OutputItem, OutputText, ReasoningItem } from '../responses/items.js'
import type { Response, ResponseUsage } from '../responses/response.js'
import {
  type Dialect,
  type DialectEvent,
  type Fields,
  isFields,
  listOf,
  mapParts,
  mapResponse,
  type PartMap,
} from './dialect.js'

/*
 * vLLM's words, as its servers put them on the wire in 2025 and 2026: parts of raw reasoning have events of their own
 * (`response.reasoning_part.*`), a call's last arguments come with its name, and what is not there is null. Where vLLM
 * is wrong (indexes, ids, what is completed and when) this is not: docs/dialects.md has the list.
 */

const PART = /^response\.(content|reasoning)_part\.(added|done)$/

/** Events that tell a call's arguments for the last time. */
const ARGUMENTS: ReadonlySet<unknown> = new Set([
  'response.function_call_arguments.done',
  'response.mcp_call_arguments.done',
])

/** A response as vLLM words it. */
export interface VllmResponse extends Omit<Response, 'output' | 'usage'> {
  output: VllmItem[]
  /** vLLM counts no tokens that were written into a cache. */
  usage: VllmUsage | null
}

type VllmItem = Exclude<OutputItem, MessageItem | ReasoningItem> | VllmMessage | VllmReasoning

interface VllmMessage extends Omit<MessageItem, 'content'> {
  content: (Omit<OutputText, 'logprobs'> & { logprobs: Logprob[] | null })[]
}

interface VllmReasoning extends Omit<ReasoningItem, 'encrypted_content'> {
  encrypted_content: string | null
}

interface VllmUsage extends Omit<ResponseUsage, 'input_tokens_details'> {
  input_tokens_details: Omit<ResponseUsage['input_tokens_details'], 'cache_write_tokens'>
}

export const vllm: Dialect<'vllm', VllmResponse> = {
  name: 'vllm',

  // The casts: what is mapped field by field, the compiler cannot follow; the round trip is a tested law.
  encoder() {
    const names = new Map<unknown, unknown>()
    return (event) => {
      const mapped = mapParts(encodePart(event as unknown as Fields), ENCODED)
      const { type, output_index, item } = mapped
      if (type === 'response.output_item.added' && isFields(item)) names.set(output_index, item['name'])
      return (ARGUMENTS.has(type) ? { ...mapped, name: names.get(output_index) } : mapped) as DialectEvent
    }
  },

  decoder: () => (event) => {
    const mapped = mapParts(decodePart(event), DECODED)
    if (ARGUMENTS.has(mapped['type'])) delete mapped['name']
    return mapped as never
  },

  encodeResponse: (response) => mapResponse(response as unknown as Fields, ENCODED) as never,
  decodeResponse: (response) => mapResponse(response as unknown as Fields, DECODED) as never,
}

const ENCODED: PartMap = { item: encodeItem, response: encodeResponse }
const DECODED: PartMap = { item: decodeItem, response: decodeResponse }

function encodePart(event: Fields): Fields {
  const { type, part } = event
  const [, , moment] = PART.exec(String(type)) ?? []
  if (moment === undefined || !isFields(part)) return event
  if (part['type'] === 'reasoning_text') return { ...event, type: `response.reasoning_part.${moment}` }
  return moment === 'done' ? { ...event, part: encodeText(part) } : event
}

function decodePart(event: Fields): Fields {
  const { type, part } = event
  const [, , moment] = PART.exec(String(type)) ?? []
  if (moment === undefined || !isFields(part)) return { ...event }
  return { ...event, type: `response.content_part.${moment}`, part: decodeText(part) }
}

/** A finished text without probabilities has none, not an empty list of them. */
function encodeText(part: Fields): Fields {
  const { logprobs } = part
  return Array.isArray(logprobs) && logprobs.length === 0 ? { ...part, logprobs: null } : part
}

function decodeText(part: Fields): Fields {
  return part['logprobs'] === null ? { ...part, logprobs: [] } : part
}

function encodeItem(item: Fields, isAdded: boolean): Fields {
  switch (item['type']) {
    case 'message':
      return { ...item, content: listOf(item['content']).map(encodeText) }
    case 'reasoning':
      return { encrypted_content: null, ...item, content: isAdded ? null : item['content'] }
    case 'code_interpreter_call':
      return isAdded ? { ...item, code: null } : item
    default:
      return item
  }
}

function decodeItem(item: Fields, isAdded: boolean): Fields {
  switch (item['type']) {
    case 'message':
      return { ...item, content: listOf(item['content']).map(decodeText) }
    case 'reasoning': {
      const { encrypted_content, ...rest } = item
      const sealed = encrypted_content === null ? {} : { encrypted_content }
      return { ...rest, ...sealed, content: item['content'] ?? [] }
    }
    case 'code_interpreter_call':
      return isAdded ? { ...item, code: '' } : item
    default:
      return item
  }
}

/** vLLM counts no tokens that were written into a cache. */
function encodeResponse(response: Fields): Fields {
  const { usage } = response
  if (!isFields(usage) || !isFields(usage['input_tokens_details'])) return response
  const { cache_write_tokens: _, ...details } = usage['input_tokens_details']
  return { ...response, usage: { ...usage, input_tokens_details: details } }
}

function decodeResponse(response: Fields): Fields {
  const { usage } = response
  if (!isFields(usage) || !isFields(usage['input_tokens_details'])) return response
  return {
    ...response,
    usage: { ...usage, input_tokens_details: { ...usage['input_tokens_details'], cache_write_tokens: 0 } },
  }
}
