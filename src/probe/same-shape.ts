import { asFields, asList, asString, type Fields, isFields } from '../conformance/stream-event.js'

/** Where two responses differ in form, in words. */
export interface Difference {
  readonly expected: string
  readonly got: string
}

/** Fields that a response may have or not: when they come depends on the model, not on how it was asked. */
const OPTIONAL_FIELDS: readonly string[] = ['completed_at', 'service_tier', 'output_text']

/**
 * The first difference in form of a response that was not streamed from one that was: fields, types of values, and the
 * same of its items and their parts. What the model said, and whether it reasoned, may differ.
 */
export function shapeDifference(streamed: Fields, whole: Fields): Difference | undefined {
  const response = firstDifferingField('', streamed, whole, OPTIONAL_FIELDS)
  if (response !== undefined) return response
  const [ones, others] = [itemsByType(streamed), itemsByType(whole)]
  for (const [type, item] of ones) {
    const other = others.get(type)
    if (other === undefined) {
      // A model may reason once and not the next time. An answer has a message in any case.
      if (type !== 'message') continue
      return { expected: 'a message among its items', got: `${[...others.keys()].join(', ') || 'none'}` }
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

function firstDifferingField(
  path: string,
  one: Fields,
  other: Fields,
  free: readonly string[],
): Difference | undefined {
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (free.includes(name)) continue
    const [expected, got] = [fieldType(one, name), fieldType(other, name)]
    // What is null here may have a value there.
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
