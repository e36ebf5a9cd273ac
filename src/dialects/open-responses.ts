import { type Dialect, type DialectEvent, type Fields, listOf, mapParts } from './dialect.js'

/*
 * Open Responses (specification of 2026-04-24): its own names for the events of raw reasoning, and a prefix before
 * everything that it does not know: items of hosted tools and the events about them, and tools but functions. Put it on
 * the wire with `done: true`: the specification wants a `[DONE]` at the end.
 */

/** The items that the specification knows. */
const ITEMS: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'function_call_output'])

/** Events about items that it does not know begin so. */
const FOREIGN = /^response\.(custom_tool|mcp|code_interpreter|web_search|shell)_/

/** Who made up what the specification does not know. */
const SLUG = 'openai:'

const RAW = 'response.reasoning_text.'
const THEIRS = 'response.reasoning.'

export const openResponses: Dialect<'open-responses'> = {
  name: 'open-responses',
  // The casts: what a table of names makes of an event, the compiler cannot follow; the round trip is a tested law.
  encoder: () => (event) => rename(event as unknown as Fields, encodeEvent, encodeType) as DialectEvent,
  decoder: () => (event) => rename(event, decodeEvent, decodeType) as never,
}

function rename(
  event: Fields,
  ofEvent: (type: string) => string,
  ofThing: (type: unknown, known: unknown) => unknown,
): Fields {
  const typed = { ...event, type: ofEvent(String(event['type'])) }
  return mapParts(typed, {
    item: (item) => ({ ...item, type: ofThing(item['type'], ITEMS) }),
    response: (response) => ({
      ...response,
      tools: listOf(response['tools']).map((tool) => ({ ...tool, type: ofThing(tool['type'], TOOLS) })),
    }),
  })
}

const TOOLS: ReadonlySet<unknown> = new Set(['function'])

function encodeEvent(type: string): string {
  if (type.startsWith(RAW)) return THEIRS + type.slice(RAW.length)
  return FOREIGN.test(type) ? SLUG + type : type
}

function decodeEvent(type: string): string {
  if (type.startsWith(THEIRS)) return RAW + type.slice(THEIRS.length)
  return withoutSlug(type)
}

function encodeType(type: unknown, known: unknown): unknown {
  return (known as ReadonlySet<unknown>).has(type) ? type : `${SLUG}${type}`
}

function decodeType(type: unknown): unknown {
  return withoutSlug(String(type))
}

function withoutSlug(type: string): string {
  return type.startsWith(SLUG) ? type.slice(SLUG.length) : type
}
