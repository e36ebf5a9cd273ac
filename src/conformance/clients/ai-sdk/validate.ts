import type { z } from 'zod'
import { type Fields, isFields } from '../../../fields.js'
import { lookUp, type StreamEvent } from '../../stream-event.js'
import { EVENTS, errorSchema, itemEventSchema, nestedErrorSchema } from './event-schemas.js'
import { ADDED_ITEMS, DONE_ITEMS } from './item-schemas.js'

/** How @ai-sdk/openai treats an event: it reads it, ignores it, or fails the turn. */
export type Validated = 'known' | 'unknown' | EventFault

/** The first problem of an event. */
export interface EventFault {
  readonly expected: string
  readonly got: unknown
  /** A description that replaces the value. */
  readonly words?: string
}

/** Validates an event. Events and items of unknown types are ignored, whatever their fields. */
export function validate(event: StreamEvent): Validated {
  const { type } = event
  if (typeof type !== 'string') {
    return Array.isArray(event['choices'])
      ? { expected: 'an event of the Responses API', got: event, words: 'a chunk of Chat Completions' }
      : { expected: '`type` of the event', got: type }
  }
  if (type === 'response.output_item.added') return validateItem(event, ADDED_ITEMS)
  if (type === 'response.output_item.done') return validateItem(event, DONE_ITEMS)
  if (type === 'error') {
    if (nestedErrorSchema.safeParse(event).success) return 'known'
    return faultOf(isFields(event['error']) ? nestedErrorSchema : errorSchema, event, '') ?? 'known'
  }
  const schema = lookUp(EVENTS, type)
  return schema === undefined ? 'unknown' : (faultOf(schema, event, '') ?? 'known')
}

function validateItem(event: StreamEvent, items: Readonly<Record<string, z.ZodType>>): Validated {
  const { item } = event
  if (!isFields(item)) return { expected: '`item` as an object', got: item }
  if (typeof item['type'] !== 'string') return { expected: '`item.type`', got: item['type'] }
  const schema = lookUp(items, item['type'])
  if (schema === undefined) return 'unknown'
  return faultOf(itemEventSchema, event, '') ?? faultOf(schema, item, 'item.') ?? 'known'
}

function faultOf(schema: z.ZodType, value: Fields, prefix: string): EventFault | undefined {
  const { error } = schema.safeParse(value)
  const issue = error?.issues[0]
  if (issue === undefined) return undefined
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  const got = issue.path.reduce<unknown>((part, key) => (part as { [key: PropertyKey]: unknown })[key], value)
  return { expected: `\`${prefix}${path.slice(1)}\` ${expectedBy(issue)}`, got }
}

/** What the schema expects, such as `a string` or `"completed"`. */
function expectedBy(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value)).join(' or ')
  return issue.code === 'invalid_union' ? 'of a known type' : issue.message
}
