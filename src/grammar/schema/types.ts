import { isJsonObject } from './keywords.js'

export const JSON_TYPES = ['null', 'boolean', 'object', 'array', 'string', 'number', 'integer'] as const
/** `number` has the whole ones, too. */
export type JsonType = (typeof JSON_TYPES)[number]

export function isJsonType(name: unknown): name is JsonType {
  return JSON_TYPES.some((type) => type === name)
}

/** The types that a schema names, `nullable` of OpenAPI included. Undefined if it names none, or what is no type. */
export function typesOf(schema: unknown): ReadonlySet<JsonType> | undefined {
  if (!isJsonObject(schema) || !Object.hasOwn(schema, 'type')) return undefined
  const { type, nullable } = schema
  const names: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (!names.every(isJsonType)) return undefined
  const types = new Set<JsonType>([...names, ...(nullable === true ? (['null'] as const) : [])])
  if (types.has('number')) types.delete('integer')
  return types
}
