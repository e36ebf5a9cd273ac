import type { z } from 'zod'
import { isFields } from '../../../../shared/fields.js'
import { lookUp, type StreamEvent } from '../../stream-event.js'
import { faultOf, type SchemaFault } from '../schema-fault.js'
import { EVENTS, errorSchema, itemEventSchema, nestedErrorSchema } from './event-schemas.js'
import { ADDED_ITEMS, DONE_ITEMS } from './item-schemas.js'

/** How @ai-sdk/openai treats an event: it reads it, ignores it, or fails the turn. */
export type Validated = 'known' | 'unknown' | SchemaFault

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
