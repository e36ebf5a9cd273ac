/** A JSON object: its fields may be anything. */
export type Fields = { readonly [field: string]: unknown }

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
