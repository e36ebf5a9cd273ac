import { isFields } from '../../../shared/fields.js'

export const JSON_TYPES = ['null', 'boolean', 'object', 'array', 'string', 'number', 'integer'] as const
/** `number` includes the whole ones. */
export type JsonType = (typeof JSON_TYPES)[number]

export function isJsonType(name: unknown): name is JsonType {
  return JSON_TYPES.some((type) => type === name)
}

/**
 * Returns the types that a schema names, including OpenAPI's `nullable`. Undefined if it names none, or an invalid one.
 */
export function typesOf(schema: unknown): ReadonlySet<JsonType> | undefined {
  if (!isFields(schema) || !Object.hasOwn(schema, 'type')) return undefined
  const { type, nullable } = schema
  const names: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (!names.every(isJsonType)) return undefined
  const types = new Set<JsonType>([...names, ...(nullable === true ? (['null'] as const) : [])])
  if (types.has('number')) types.delete('integer')
  return types
}
