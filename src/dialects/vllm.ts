import type { BuiltinItemType } from '../core/recipients/builtin-tools.js'
import type {
  FunctionCallItem,
  Logprob,
  MessageItem,
  OutputItem,
  OutputText,
  ReasoningItem,
} from '../core/responses/items.js'
import type { Response } from '../core/responses/response.js'
import { type Fields, isFields } from '../shared/fields.js'
import { merged } from '../shared/merged.js'
import { type Dialect, type DialectEvent, listOf, mapParts, mapResponse, type PartMap } from './dialect.js'

/*
 * vLLM's wire format of 2026 (0.32): the `.done` event of a call's arguments contains its name, and missing values are
 * null. Until 2025, parts of raw reasoning had events of their own (`response.reasoning_part.*`), which are still read.
 * vLLM's bugs (the order of completions, fields of an event in its item) are not reproduced: the documentation lists
 * them.
 */

const PART = /^response\.(content|reasoning)_part\.(added|done)$/

/** Events that repeat a call's complete arguments. */
const ARGUMENTS: ReadonlySet<unknown> = new Set([
  'response.function_call_arguments.done',
  'response.mcp_call_arguments.done',
])

/** A response in vLLM's form. */
export interface VllmResponse extends Omit<Response, 'output'> {
  output: VllmItem[]
}

/** An item of a {@link VllmResponse}: fields that OpenAI leaves out are null. */
export type VllmItem =
  | Exclude<OutputItem, MessageItem | ReasoningItem | FunctionCallItem>
  | VllmMessage
  | VllmReasoning
  | VllmCall

/** A message of a {@link VllmResponse}: `logprobs` are null where there are none. */
export interface VllmMessage extends Omit<MessageItem, 'content'> {
  content: (Omit<OutputText, 'logprobs'> & { logprobs: Logprob[] | null })[]
}

/** A reasoning item of a {@link VllmResponse}. */
export interface VllmReasoning extends Omit<ReasoningItem, 'encrypted_content'> {
  encrypted_content: string | null
}

/** A function call of a {@link VllmResponse}. */
export interface VllmCall extends Omit<FunctionCallItem, 'namespace'> {
  namespace: string | null
  async: null
  caller: null
}

/** vLLM's own Responses stream, for clients that were written for it: its names of events, and its fields. */
export const vllm: Dialect<'vllm', VllmResponse> = {
  name: 'vllm',

  // The casts are needed because TypeScript cannot follow the field mapping; a property test covers the round trip.
  encoder() {
    const names = new Map<unknown, unknown>()
    return (event) => {
      // biome-ignore lint/plugin: The fields of an event, which are renamed one by one.
      const mapped = mapParts(encodePart(event as unknown as Fields), ENCODED)
      const { type, output_index, item } = mapped
      if (type === 'response.output_item.added' && isFields(item)) names.set(output_index, item['name'])
      return (ARGUMENTS.has(type) ? merged(mapped, { name: names.get(output_index) }) : mapped) as DialectEvent
    }
  },

  decoder: () => (event) => {
    const mapped = mapParts(decodePart(event), DECODED)
    // biome-ignore lint/plugin: The renamed fields are those of an event, which the round-trip law checks.
    if (!ARGUMENTS.has(mapped['type'])) return mapped as never
    const { name: _, ...unnamed } = mapped
    // biome-ignore lint/plugin: The renamed fields are those of an event, which the round-trip law checks.
    return unnamed as never
  },

  // biome-ignore-start lint/plugin: The renamed fields are those of a response.
  encodeResponse: (response) => mapResponse(response as unknown as Fields, ENCODED) as never,
  decodeResponse: (response) => mapResponse(response as unknown as Fields, DECODED) as never,
  // biome-ignore-end lint/plugin: the codecs
}

const ENCODED: PartMap = { item: encodeItem, response: (response) => response }
const DECODED: PartMap = { item: decodeItem, response: decodeResponse }

function encodePart(event: Fields): Fields {
  const { type, part } = event
  return type === 'response.content_part.done' && isFields(part) ? { ...event, part: encodeText(part) } : event
}

function decodePart(event: Fields): Fields {
  const { type, part } = event
  const [, , moment] = PART.exec(String(type)) ?? []
  if (moment === undefined || !isFields(part)) return { ...event }
  return { ...event, type: `response.content_part.${moment}`, part: decodeText(part) }
}

/** vLLM writes null for a finished text without log-probabilities, not an empty list. */
function encodeText(part: Fields): Fields {
  const { logprobs } = part
  return Array.isArray(logprobs) && logprobs.length === 0 ? { ...part, logprobs: null } : part
}

function decodeText(part: Fields): Fields {
  return part['logprobs'] === null ? { ...part, logprobs: [] } : part
}

interface ItemMap {
  encode(item: Fields, isAdded: boolean): Fields
  decode(item: Fields, isAdded: boolean): Fields
}

/** The differences of each item in vLLM's form; null for none. Of built-in tools, only some items differ. */
const ITEMS: { readonly [Type in Exclude<OutputItem['type'], BuiltinItemType>]: ItemMap | null } & {
  readonly [Type in BuiltinItemType]?: ItemMap
} = {
  message: {
    encode: (item) => ({ ...item, content: listOf(item['content']).map(encodeText) }),
    decode: (item) => ({ ...item, content: listOf(item['content']).map(decodeText) }),
  },
  reasoning: {
    encode: (item, isAdded) => ({ encrypted_content: null, ...item, content: isAdded ? null : item['content'] }),
    decode({ encrypted_content, ...rest }) {
      const sealed = encrypted_content === null ? {} : { encrypted_content }
      return { ...rest, ...sealed, content: rest['content'] ?? [] }
    },
  },
  function_call: {
    encode: (item) => ({ async: null, caller: null, namespace: null, ...item }),
    decode: ({ async: _, caller: __, namespace, ...item }) =>
      typeof namespace === 'string' ? { ...item, namespace } : item,
  },
  custom_tool_call: null,
  mcp_list_tools: null,
  mcp_approval_request: null,
  mcp_call: null,
  code_interpreter_call: {
    encode: (item, isAdded) => (isAdded ? { ...item, code: null } : item),
    decode: (item, isAdded) => (isAdded ? { ...item, code: '' } : item),
  },
  shell_call_output: null,
}

/** Returns the mapping of an item. Items that the host inserted may have any other type. */
function mapOf({ type }: Fields): ItemMap | null | undefined {
  return Object.hasOwn(ITEMS, String(type)) ? ITEMS[type as OutputItem['type']] : null
}

function encodeItem(item: Fields, isAdded: boolean): Fields {
  return mapOf(item)?.encode(item, isAdded) ?? item
}

function decodeItem(item: Fields, isAdded: boolean): Fields {
  return mapOf(item)?.decode(item, isAdded) ?? item
}

/** vLLM leaves the error out where there is none; before 0.32, also the count of tokens that were written to a cache. */
function decodeResponse(response: Fields): Fields {
  const { usage } = response
  const whole = { error: null, ...response }
  if (!isFields(usage) || !isFields(usage['input_tokens_details'])) return whole
  return {
    ...whole,
    usage: { ...usage, input_tokens_details: { cache_write_tokens: 0, ...usage['input_tokens_details'] } },
  }
}
