import fc from 'fast-check'
import ts from 'typescript'
import { type DeclaredType, declaredType, membersOf } from '../../support/declared-type.js'
import { sdkTypes } from '../../support/openai-sdk.js'

const file = sdkTypes('resources/responses/responses')

/** A type of `openai/resources/responses/responses`. */
export function sdkType(name: string): DeclaredType {
  return declaredType(file, name)
}

/** Any text but an empty one, of characters that every name may have. */
const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,7}$/)
const schema = fc.constantFrom({ type: 'object', properties: { a: { default: null } } }, {}, { $ref: '#' })
const json = fc.constantFrom<unknown>(null, 1, 'text', [null], { a: { b: null } })

/** Properties whose values are bound by more than their type. By name, wherever they are. */
const SPECIAL: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  // Two tools of one name are refused: names are drawn from so many that they differ, and neither a bias towards the
  // smallest nor shrinking makes them equal.
  name: fc.noShrink(fc.noBias(fc.uuid())).map((text) => text.replaceAll('-', '_')),
  parameters: schema,
  // Longer ones need `background`.
  completion_window: fc.constant('soonest'),
  context_management: fc.option(
    fc.array(
      fc.record(
        { type: fc.constant('compaction'), compact_threshold: fc.constantFrom(1000, null) },
        { requiredKeys: ['type'], noNullPrototype: true },
      ),
      { maxLength: 1 },
    ),
  ),
}

/** Values of a type as the compiler reads it: each with some of its optional properties. Numbers are 1. */
export function valuesOf({ checker, type }: DeclaredType): fc.Arbitrary<unknown> {
  const { flags } = type
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return json
  if (type.isUnion()) {
    const members = type.types.filter((member) => (member.flags & ts.TypeFlags.Undefined) === 0)
    return fc.oneof(...members.map((member) => valuesOf({ checker, type: member })))
  }
  if (type.isStringLiteral() || type.isNumberLiteral()) return fc.constant(type.value)
  if (flags & ts.TypeFlags.BooleanLiteral) return fc.constant(checker.typeToString(type) === 'true')
  if (flags & ts.TypeFlags.StringLike || type.isIntersection()) return word
  if (flags & ts.TypeFlags.NumberLike) return fc.constant(1)
  if (flags & ts.TypeFlags.Null) return fc.constant(null)
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference)
    if (element === undefined) throw new Error('an array of nothing')
    return fc.array(valuesOf({ checker, type: element }), { maxLength: 2 })
  }
  const properties = checker.getPropertiesOfType(type)
  const index = type.getStringIndexType()
  if (index !== undefined)
    return fc.dictionary(word, valuesOf({ checker, type: index }), { maxKeys: 2, noNullPrototype: true })
  const isRequired = (property: ts.Symbol): boolean => (property.flags & ts.SymbolFlags.Optional) === 0
  return fc.record(
    Object.fromEntries(
      properties.map((property) => {
        const value = (): fc.Arbitrary<unknown> => valuesOf({ checker, type: checker.getTypeOfSymbol(property) })
        return [property.name, SPECIAL[property.name] ?? value()]
      }),
    ),
    { requiredKeys: properties.filter(isRequired).map(({ name }) => name), noNullPrototype: true },
  )
}

/** The members of a union of the SDK's, by name. */
export function memberValues(name: string): { readonly name: string; readonly values: fc.Arbitrary<unknown> }[] {
  return membersOf(sdkType(name)).map((member) => ({
    name: member.checker.typeToString(member.type),
    values: valuesOf(member),
  }))
}

/** Requests that the SDK's types allow, without parameters or combinations that are refused. */
export const sdkRequests: fc.Arbitrary<object> = valuesOf(sdkType('ResponseCreateParamsBase')).map((body) => {
  const { background: _, conversation, moderation, prompt, tool_choice, ...request } = body as Record<string, unknown>
  // Each tool that an object names has to be declared.
  return {
    input: 'hi',
    ...request,
    ...(typeof tool_choice === 'string' && tool_choice !== 'required' && { tool_choice }),
  }
})
