import type { BuiltinItemType } from '../core/recipients/builtin-tools.js'
import type { OutputItem } from '../core/responses/items.js'
import type { EchoedTool, Response } from '../core/responses/response.js'
import type { Fields } from '../shared/fields.js'
import { merged } from '../shared/merged.js'
import { type Dialect, type DialectEvent, listOf, mapParts, mapResponse, type PartMap } from './dialect.js'

/*
 * Open Responses (specification of 2026-04-24) has its own names for raw reasoning events, and requires a prefix for
 * everything it does not define: items and events of hosted tools, and all tools except functions. Send it with `done:
 * true`, because the specification requires a `[DONE]` at the end.
 */

/**
 * The first words of each item's events in the specification. Null: the specification does not define the item, so the
 * item and its events get the prefix, as do those of all built-in tools.
 */
const EVENTS_OF: { readonly [Type in Exclude<OutputItem['type'], BuiltinItemType>]: readonly string[] | null } = {
  message: ['content_part', 'output_text', 'refusal'],
  reasoning: ['content_part', 'reasoning', 'reasoning_text', 'reasoning_summary_part', 'reasoning_summary_text'],
  function_call: ['function_call_arguments'],
  custom_tool_call: null,
  mcp_list_tools: null,
  mcp_approval_request: null,
  mcp_call: null,
  shell_call_output: null,
}

const ITEMS: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'function_call_output',
  .../* @__PURE__ */ Object.keys(EVENTS_OF).filter((type) => EVENTS_OF[type as keyof typeof EVENTS_OF] !== null),
])
const TOOLS: ReadonlySet<unknown> = /* @__PURE__ */ new Set(['function'])

/** The first words of all two-word events in the specification. */
const EVENTS: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'output_item',
  .../* @__PURE__ */ Object.values(EVENTS_OF).flatMap((words) => words ?? []),
])

/** The prefix: the organization that defined the extension. */
const SLUG = 'openai:'

/** A response in the form of Open Responses. */
export interface OpenResponsesResponse extends Omit<Response, 'output' | 'tools'> {
  /** The items. Those of a type that Open Responses lacks have its name with `openai:` in front. */
  output: Prefixed<OutputItem, 'message' | 'reasoning' | 'function_call'>[]
  /** The request's tools, with the same prefix except for functions. */
  tools: Prefixed<EchoedTool, 'function'>[]
}

/** Adds the prefix to the type of each unknown member of a union. */
type Prefixed<Union extends { type: string }, Known> = Union extends { type: Known }
  ? Union
  : Omit<Union, 'type'> & { type: `${typeof SLUG}${Union['type']}` }

const RAW = 'response.reasoning_text.'
const THEIRS = 'response.reasoning.'

/**
 * Open Responses, 2026-04-24: `response.reasoning.*` for raw reasoning, and the prefix `openai:` for what it does not
 * define.
 */
export const openResponses: Dialect<'open-responses', OpenResponsesResponse> = {
  name: 'open-responses',
  // biome-ignore-start lint/plugin: TypeScript cannot follow renaming by table; a property covers the round trip.
  encoder: () => (event) => rename(event as unknown as Fields, encodeEvent, ENCODED) as DialectEvent,
  decoder: () => (event) => rename(event, decodeEvent, DECODED) as never,
  encodeResponse: (response) => mapResponse(response as unknown as Fields, ENCODED) as never,
  decodeResponse: (response) => mapResponse(response as unknown as Fields, DECODED) as never,
  // biome-ignore-end lint/plugin: the codecs
}

const ENCODED = /* @__PURE__ */ partsWith(encodeType)
const DECODED = /* @__PURE__ */ partsWith(decodeType)

function rename(event: Fields, ofEvent: (type: string) => string, parts: PartMap): Fields {
  return mapParts(merged(event, { type: ofEvent(String(event['type'])) }), parts)
}

function partsWith(typeOf: (type: unknown, known: ReadonlySet<unknown>) => unknown): PartMap {
  return {
    item: (item) => ({ ...item, type: typeOf(item['type'], ITEMS) }),
    response: (response) => ({
      ...response,
      tools: listOf(response['tools']).map((tool) => ({ ...tool, type: typeOf(tool['type'], TOOLS) })),
    }),
  }
}

function encodeEvent(type: string): string {
  if (type.startsWith(RAW)) return THEIRS + type.slice(RAW.length)
  const [, word, moment] = type.split('.')
  // Events of two words belong to the response itself: response.created.
  return moment === undefined || EVENTS.has(word) ? type : SLUG + type
}

function decodeEvent(type: string): string {
  if (type.startsWith(THEIRS)) return RAW + type.slice(THEIRS.length)
  return withoutSlug(type)
}

function encodeType(type: unknown, known: ReadonlySet<unknown>): unknown {
  return known.has(type) ? type : `${SLUG}${type}`
}

function decodeType(type: unknown): unknown {
  return withoutSlug(String(type))
}

function withoutSlug(type: string): string {
  return type.startsWith(SLUG) ? type.slice(SLUG.length) : type
}
