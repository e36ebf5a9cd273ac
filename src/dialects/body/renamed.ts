import type { Fields } from '../../shared/fields.js'
import { fieldOf } from '../../shared/request-fields.js'

/** Returns the present fields of an object, under their names in the other API. */
export function renamed(fields: Fields, names: { readonly [theirs: string]: string }): { [name: string]: unknown } {
  const copy: { [name: string]: unknown } = {}
  for (const [theirs, ours] of Object.entries(names)) {
    const value = fieldOf(fields, theirs)
    if (value !== undefined) copy[ours] = value
  }
  return copy
}
