import { inside, type Located } from './located.js'
import { ANY_SHAPE, bothShapes, type Shape } from './shape.js'
import { saysNothingOf, typeOf } from './values.js'

/** With a shape of its own for each array and object that is listed beside what else is said of such. */
export function byListedValue(shape: Shape): readonly Shape[] {
  return split(shape, (value) => {
    const type = typeOf(value)
    return (type === 'array' || type === 'object') && !saysNothingOf(type, shape)
  })
}

/** With a shape of its own for each number, array and object that is listed: each can be told from others by what it is. */
export function byEachValue(shape: Shape): readonly Shape[] {
  return split(shape, (value) => typeof value === 'number' || (typeof value === 'object' && value !== null))
}

function split(shape: Shape, isOwn: (value: unknown) => boolean): readonly Shape[] {
  const { values } = shape
  const own = values?.filter(isOwn) ?? []
  if (values === undefined || own.length === 0) return [shape]
  const rest = { ...shape, values: undefined }
  const others = values.filter((value) => !isOwn(value))
  const numbers = own.filter((value) => typeof value === 'number').sort((one, other) => one - other)
  const ordered = [...numbers, ...own.filter((value) => typeof value !== 'number')]
  const shapes = ordered
    .map((value) => bothShapes(shapeOf(value, shape.path), rest))
    .filter((each) => each !== undefined)
  return others.length === 0 ? shapes : [{ ...shape, values: others }, ...shapes]
}

/** The shape that allows a number, an array or an object, and nothing else. */
function shapeOf(value: unknown, path: string): Shape {
  const only = (part: unknown): Located => ({ schema: { const: part }, path: inside(path, JSON.stringify(part)) })
  const none: Located = { schema: false, path }
  if (typeof value === 'number') {
    const bound = { value, path, isOut: false }
    return { ...ANY_SHAPE, path, types: new Set(['number']), low: bound, high: bound }
  }
  if (Array.isArray(value)) {
    const { length } = value
    const prefix = value.map(only)
    return { ...ANY_SHAPE, path, types: new Set(['array']), prefix, items: none, minItems: length, maxItems: length }
  }
  const properties = new Map(Object.entries(Object(value)).map(([name, part]) => [name, only(part)]))
  const required = new Set(properties.keys())
  return { ...ANY_SHAPE, path, types: new Set(['object']), properties, required, additional: none }
}
