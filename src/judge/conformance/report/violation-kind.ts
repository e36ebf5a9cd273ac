import type { Violation } from '../violation.js'
import { factsOf } from './rule-facts.js'

/** The kind of a violation: its rule and message without values, so that repeats at other events have the same kind. */
export function kindKey({ rule, expected, got }: Violation): string {
  const words = expected.replace(/"(?:[^"\\]|\\.)*"/g, '"').replace(/\S*\d\S*/g, '#')
  return `${rule} ${got === 'nothing' ? '-' : ''} ${words.slice(0, 200)}`
}

/** The fields that a violation is about, as paths in the event without array indexes. */
export function fieldPathsOf({ rule, expected }: Pick<Violation, 'rule' | 'expected'>): readonly string[] {
  const { namesField, fields = [] } = factsOf(rule)
  if (namesField) {
    const path = /^(?:no field )?([\w.[\]]+)/.exec(expected)?.[1]
    return path === undefined ? [] : [path.replace(/\[\d*\]/g, '')]
  }
  const any = fields.find((field) => field.endsWith('*'))
  if (any === undefined) return fields
  const field = /^\w+/.exec(expected)?.[0]
  return field === undefined ? [] : [any.replace('*', field)]
}

/** Whether two paths are equal, or one is within the other. */
export function pathsOverlap(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)
}

/** The names of a violation in `causes`: its rule, and for one that names a field also `RULE:FIELD` for each parent. */
export function causeNamesOf(violation: Violation): readonly string[] {
  const { rule } = violation
  if (!factsOf(rule).namesField) return [rule]
  const names = [rule]
  for (const field of fieldPathsOf(violation)) {
    for (let path = field; path !== ''; path = path.slice(0, Math.max(path.lastIndexOf('.'), 0))) {
      names.push(`${rule}:${path}`)
    }
  }
  return names
}

/** The missing field, if the violation is about one missing field. */
export function missingField(violation: Violation): string | undefined {
  const [field, ...others] = fieldPathsOf(violation)
  return violation.got === 'nothing' && others.length === 0 ? field : undefined
}
