import type { OutputItem } from '../responses/items.js'
import type { EchoedTool, Response } from '../responses/response.js'
import { type Dialect, type DialectEvent, type Fields, listOf, mapParts, mapResponse, type PartMap } from './dialect.js'

/*
 * Open Responses (specification of 2026-04-24). It has its own names for the events of raw reasoning, and a prefix for
 * everything that it does not define: items of hosted tools, events about them, and tools other than functions. Send it
 * with `done: true`, because the specification requires `[DONE]` at the end.
 */

/** The items and tools that the specification defines. */
const ITEMS: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'function_call_output'])
const TOOLS: ReadonlySet<unknown> = new Set(['function'])

/** Events about items that it does not define. */
const FOREIGN = /^response\.(custom_tool|mcp|code_interpreter|web_search|shell)_/

/** The prefix of everything that the specification does not define: the name of who defined it. */
const SLUG = 'openai:'

/** A response in the format of Open Responses. */
export interface OpenResponsesResponse extends Omit<Response, 'output' | 'tools'> {
  output: Prefixed<OutputItem, 'message' | 'reasoning' | 'function_call'>[]
  tools: Prefixed<EchoedTool, 'function'>[]
}

/** A union by `type`, with a prefix before the types that are not `Known`. */
type Prefixed<Union extends { type: string }, Known> = Union extends { type: Known }
  ? Union
  : Omit<Union, 'type'> & { type: `${typeof SLUG}${Union['type']}` }

const RAW = 'response.reasoning_text.'
const THEIRS = 'response.reasoning.'

export const openResponses: Dialect<'open-responses', OpenResponsesResponse> = {
  name: 'open-responses',
  // The casts in: an interface has no index signature, so it is not assignable to `Fields`.
  // The casts out: the compiler cannot derive the types after renaming by a table. A law tests the round trip.
  encoder: () => (event) => rename(event as unknown as Fields, encodeEvent, ENCODED) as DialectEvent,
  decoder: () => (event) => rename(event, decodeEvent, DECODED) as never,
  encodeResponse: (response) => mapResponse(response as unknown as Fields, ENCODED) as never,
  decodeResponse: (response) => mapResponse(response as unknown as Fields, DECODED) as never,
}

const ENCODED = /* @__PURE__ */ partsWith(encodeType)
const DECODED = /* @__PURE__ */ partsWith(decodeType)

function rename(event: Fields, ofEvent: (type: string) => string, parts: PartMap): Fields {
  return mapParts({ ...event, type: ofEvent(String(event['type'])) }, parts)
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
  return FOREIGN.test(type) ? SLUG + type : type
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
