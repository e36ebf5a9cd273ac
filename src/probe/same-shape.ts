import { type Fields, fieldsOf, isFields, listOf, textOf } from '../conformance/stream-event.js'

/** Where two responses differ in form, in words. */
export interface Difference {
  readonly expected: string
  readonly got: string
}

/** Fields that a response may have or not: when they come depends on the model, not on how it was asked. */
const FREE: readonly string[] = ['completed_at', 'service_tier', 'output_text']

/**
 * The first difference in form of a response that was not streamed from one that was: fields, types of values, and the
 * same of its items and their parts. What the model said, and whether it reasoned, may differ.
 */
export function differenceOf(streamed: Fields, whole: Fields): Difference | undefined {
  const response = differing('', streamed, whole, FREE)
  if (response !== undefined) return response
  const [ones, others] = [itemsByType(streamed), itemsByType(whole)]
  for (const [type, item] of ones) {
    const other = others.get(type)
    if (other === undefined) {
      // A model may reason once and not the next time. An answer has a message in any case.
      if (type !== 'message') continue
      return { expected: 'a message among its items', got: `${[...others.keys()].join(', ') || 'none'}` }
    }
    const difference = differing(`${type}.`, item, other, []) ?? differingParts(type, item, other)
    if (difference !== undefined) return difference
  }
  return undefined
}

function itemsByType(response: Fields): Map<string, Fields> {
  const items = listOf(response['output']).filter(isFields).toReversed()
  return new Map(items.map((item) => [textOf(item['type']), item]))
}

function differingParts(type: string, item: Fields, other: Fields): Difference | undefined {
  const [part] = listOf(item['content']).map(fieldsOf)
  const [otherPart] = listOf(other['content']).map(fieldsOf)
  if (part === undefined || otherPart === undefined || part['type'] !== otherPart['type']) return undefined
  return differing(`${type}.content[0].`, part, otherPart, [])
}

function differing(path: string, one: Fields, other: Fields, free: readonly string[]): Difference | undefined {
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (free.includes(name)) continue
    const [expected, got] = [kindOf(one, name), kindOf(other, name)]
    // What is null here may have a value there.
    if (expected === got || (expected === 'null' && got !== 'nothing') || (got === 'null' && expected !== 'nothing'))
      continue
    return { expected: `${path}${name} is ${expected}`, got }
  }
  return undefined
}

function kindOf(fields: Fields, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
