import { isFields } from '../../../shared/fields.js'
import type { Budget } from './budget.js'
import type { Located } from './located.js'
import { valuesIn } from './read-shape.js'
import type { References } from './references.js'
import { commonTypes, propertyOf, type Shape } from './shape.js'
import { typeOf } from './values.js'

/** The maximum length of a chain of references. */
const MAX_REFERENCES = 10

/** Whether no value can certainly match both: for the parts of a `oneOf`. */
export function areDisjoint(references: References, one: Shape, other: Shape, budget: Budget): boolean {
  const common = commonTypes(one.types, other.types)
  if (common.size === 0) return true
  if (one.values !== undefined && other.values !== undefined) {
    return haveOtherValues(one.values, other.values, budget)
  }
  const listed = one.values ?? other.values
  if (listed !== undefined) {
    if (!budget.spend(listed.length)) return false
    const types = listed.map(typeOf)
    return types.every(
      (type) => type !== undefined && !common.has(type) && !(type === 'integer' && common.has('number')),
    )
  }
  return common.size === 1 && common.has('object') && haveOtherObjects(references, one, other, budget)
}

function haveOtherObjects(references: References, one: Shape, other: Shape, budget: Budget): boolean {
  const names = new Set([...one.required, ...other.required])
  if (!budget.spend(names.size * (1 + one.patterned.length + other.patterned.length))) return false
  return [...names].some((name) => {
    const [left, right] = [propertyOf(one, name), propertyOf(other, name)]
    if (one.required.has(name) && 'schema' in right && right.schema === false) return true
    if (other.required.has(name) && 'schema' in left && left.schema === false) return true
    if (!one.required.has(name) || !other.required.has(name)) return false
    const [ones, others] = [valuesOf(references, left), valuesOf(references, right)]
    return ones !== undefined && others !== undefined && haveOtherValues(ones, others, budget)
  })
}

function haveOtherValues(ones: readonly unknown[], others: readonly unknown[], budget: Budget): boolean {
  if (!budget.spend((ones.length + others.length) >> 1)) return false
  const known = new Set(ones)
  // The text of an object depends on the order of its properties.
  const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null
  return ones.every(isPlain) && others.every((value) => isPlain(value) && !known.has(value))
}

/** Returns the values that a schema, or the target of its `$ref`, lists. */
function valuesOf(references: References, located: Located): readonly unknown[] | undefined {
  let at: Located = located
  for (let followed = 0; followed < MAX_REFERENCES; followed++) {
    if ('all' in at || !isFields(at.schema)) return undefined
    const values = references.isAlone(at.schema) ? undefined : valuesIn(at.schema)
    const target = references.get(at.schema)
    if (values !== undefined || target === undefined) return values
    at = target
  }
  return undefined
}
