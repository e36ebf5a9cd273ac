import type { Violation } from '../check.js'
import { FIELDS, SHAPE_RULES } from './follows.js'

/** What is said of a violation without its values: two of one kind say the same of different events. */
export function kindKey({ rule, expected, got }: Violation): string {
  const words = expected.replace(/"(?:[^"\\]|\\.)*"/g, '"').replace(/\S*\d\S*/g, '#')
  return `${rule} ${got === 'nothing' ? '-' : ''} ${words.slice(0, 200)}`
}

/** The fields that a violation is about, as paths within its event, without the places in lists. */
export function fieldsOf({ rule, expected }: Violation): readonly string[] {
  if (SHAPE_RULES.has(rule)) {
    const path = /^(?:no field )?([\w.[\]]+)/.exec(expected)?.[1]
    return path === undefined ? [] : [path.replace(/\[\d*\]/g, '')]
  }
  const fields = FIELDS[rule] ?? []
  if (!fields.includes('item.*')) return fields
  const field = /^\w+/.exec(expected)?.[0]
  return field === undefined ? [] : [`item.${field}`]
}

/** Whether one path is the other, or within it. */
export function overlap(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)
}

/** The names by which what follows may ask for a violation: its rule, and of a shape the field and what holds it. */
export function namesOf(violation: Violation): readonly string[] {
  const { rule } = violation
  if (!SHAPE_RULES.has(rule)) return [rule]
  const names = [rule]
  for (const field of fieldsOf(violation)) {
    for (let path = field; path !== ''; path = path.slice(0, Math.max(path.lastIndexOf('.'), 0))) {
      names.push(`${rule}:${path}`)
    }
  }
  return names
}

/** The field whose absence a violation is about, where it is about one alone. */
export function missingField(violation: Violation): string | undefined {
  const [field, ...others] = fieldsOf(violation)
  return violation.got === 'nothing' && others.length === 0 ? field : undefined
}

/** Whether a violation is about the end of the stream. An event without a type is none either, but it came. */
export function isAtEnd({ rule, type }: Violation): boolean {
  return type === undefined && rule !== 'event-has-type'
}
