import ts from 'typescript'
import { declaredType } from './declared-type.js'

/**
 * Checks whether JSON values match a type of a declaration file, as the compiler reads it. Extra fields are allowed,
 * because values from the wire are not literals.
 *
 * @param file - the path of the declaration file
 * @param name - a type that it exports
 */
export function typeOracle(file: string, name: string): (value: unknown) => boolean {
  const { checker, type: wanted } = declaredType(file, name)

  // Values that are damaged in one place share all other objects, so results are cached by object.
  const known = new WeakMap<object, Map<ts.Type, boolean>>()

  function matches(value: unknown, type: ts.Type): boolean {
    if (typeof value !== 'object' || value === null) return fits(value, type)
    const results = known.get(value) ?? new Map<ts.Type, boolean>()
    known.set(value, results)
    const isMatch = results.get(type) ?? fits(value, type)
    results.set(type, isMatch)
    return isMatch
  }

  function fits(value: unknown, type: ts.Type): boolean {
    const { flags } = type
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return true
    if (type.isUnion()) return type.types.some((one) => matches(value, one))
    if (type.isIntersection()) return type.types.every((one) => matches(value, one))
    if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value
    if (flags & ts.TypeFlags.BooleanLiteral)
      return String(value) === checker.typeToString(type) && typeof value === 'boolean'
    if (flags & ts.TypeFlags.StringLike) return typeof value === 'string'
    if (flags & ts.TypeFlags.NumberLike) return typeof value === 'number'
    if (flags & ts.TypeFlags.BooleanLike) return typeof value === 'boolean'
    if (flags & ts.TypeFlags.Null) return value === null
    if (flags & ts.TypeFlags.Undefined) return false
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference)
      return Array.isArray(value) && element !== undefined && value.every((one) => matches(one, element))
    }
    if (flags & ts.TypeFlags.Object) return isObject(value, type)
    throw new Error(`no reading of the type ${checker.typeToString(type)}`)
  }

  function isObject(value: unknown, type: ts.Type): boolean {
    const isEmpty = checker.getPropertiesOfType(type).length === 0 && type.getStringIndexType() === undefined
    // As in `string & {}`: any string, beside those that are known.
    if (isEmpty) return value !== null
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const fields = value as { readonly [name: string]: unknown }
    const properties = checker.getPropertiesOfType(type)
    const named = new Set(properties.map((property) => property.name))
    const index = type.getStringIndexType()
    const others = Object.keys(fields).filter((name) => !named.has(name))
    if (index !== undefined && !others.every((name) => matches(fields[name], index))) return false
    return properties.every((property) => {
      if (!Object.hasOwn(fields, property.name)) return (property.flags & ts.SymbolFlags.Optional) !== 0
      return matches(fields[property.name], checker.getTypeOfSymbol(property))
    })
  }

  return (value) => matches(value, wanted)
}
