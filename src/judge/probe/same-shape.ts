import { type Fields, isFields } from '../../shared/fields.js'
import { asFields, asList, asString } from '../conformance/stream-event.js'

/** The first difference between the fields of two responses, in words. */
export interface Difference {
  readonly expected: string
  readonly got: string
}

/** Fields that only some responses have, depending on the model and not on streaming. */
const OPTIONAL_FIELDS: readonly string[] = ['completed_at', 'service_tier', 'output_text']

/**
 * The first difference between a streamed response and one that was not, in fields or types of values, including items
 * and their parts. Text may differ, and whether there is reasoning.
 */
export function shapeDifference(streamed: Fields, whole: Fields): Difference | undefined {
  const response = firstDifferingField('', streamed, whole, OPTIONAL_FIELDS)
  if (response !== undefined) return response
  const [ones, others] = [itemsByType(streamed), itemsByType(whole)]
  for (const [type, item] of ones) {
    const other = others.get(type)
    if (other === undefined) {
      // A model may reason only once in a while, but an answer always has a message.
      if (type !== 'message') continue
      return { expected: 'a message in the output', got: `${[...others.keys()].join(', ') || 'none'}` }
    }
    const difference = firstDifferingField(`${type}.`, item, other, []) ?? partDifference(type, item, other)
    if (difference !== undefined) return difference
  }
  return undefined
}

function itemsByType(response: Fields): Map<string, Fields> {
  const items = asList(response['output']).filter(isFields).toReversed()
  return new Map(items.map((item) => [asString(item['type']), item]))
}

function partDifference(type: string, item: Fields, other: Fields): Difference | undefined {
  const [part] = asList(item['content']).map(asFields)
  const [otherPart] = asList(other['content']).map(asFields)
  if (part === undefined || otherPart === undefined || part['type'] !== otherPart['type']) return undefined
  return firstDifferingField(`${type}.content[0].`, part, otherPart, [])
}

export function firstDifferingField(
  path: string,
  one: Fields,
  other: Fields,
  free: readonly string[],
): Difference | undefined {
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (free.includes(name)) continue
    const [expected, got] = [fieldType(one, name), fieldType(other, name)]
    // A field that is null in one response may have a value in the other.
    if (expected === got || (expected === 'null' && got !== 'nothing') || (got === 'null' && expected !== 'nothing'))
      continue
    return { expected: `${path}${name} is ${expected}`, got }
  }
  return undefined
}

function fieldType(fields: Fields, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
