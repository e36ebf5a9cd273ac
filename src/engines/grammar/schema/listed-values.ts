import { inside, type Located } from './located.js'
import { ANY_SHAPE, bothShapes, type Shape } from './shape.js'
import { saysNothingOf, typeOf } from './values.js'

/** Splits off a shape for each listed array and object that has further constraints, one by one, since they may be many. */
export function byListedValue(shape: Shape): Iterable<Shape> {
  return split(shape, (value) => {
    const type = typeOf(value)
    return (type === 'array' || type === 'object') && !saysNothingOf(type, shape)
  })
}

/** Splits off a shape for each listed number, array and object, so that each can be told apart by value. */
export function byEachValue(shape: Shape): Iterable<Shape> {
  return split(shape, (value) => typeof value === 'number' || (typeof value === 'object' && value !== null))
}

function split(shape: Shape, isOwn: (value: unknown) => boolean): Iterable<Shape> {
  const { values } = shape
  const own = values?.filter(isOwn) ?? []
  return values === undefined || own.length === 0 ? [shape] : parted(shape, values, own, isOwn)
}

function* parted(
  shape: Shape,
  values: readonly unknown[],
  own: readonly unknown[],
  isOwn: (value: unknown) => boolean,
): Generator<Shape> {
  const rest = { ...shape, values: undefined }
  const others = values.filter((value) => !isOwn(value))
  const numbers = own.filter((value) => typeof value === 'number').sort((one, other) => one - other)
  const ordered = [...numbers, ...own.filter((value) => typeof value !== 'number')]
  if (others.length > 0) yield { ...shape, values: others }
  for (const value of ordered) {
    const both = bothShapes(shapeOf(value, shape.path), rest)
    if (both !== undefined) yield both
  }
}

/** Returns the shape that allows a number, an array or an object, and nothing else. */
function shapeOf(value: unknown, path: string): Shape {
  const only = (part: unknown): Located => ({ schema: { const: part }, path: inside(path, JSON.stringify(part)) })
  const none: Located = { schema: false, path }
  if (typeof value === 'number') {
    const bound = { value, path, isExclusive: false }
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
