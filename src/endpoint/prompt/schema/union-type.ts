import type { Slices } from '../../../shared/slices.js'
import { factsOf, trailingComment } from './comments.js'
import { combined, hasShape, listOf, type Parts, stringOf } from './keywords.js'
import { isFull, spend } from './room.js'
import { viewOf } from './schema-view.js'
import { pauseWhereDue, type SchemaView, type Scope } from './scope.js'

/** A variant of a union. */
export interface Variant {
  readonly type: string
  /** The comment after it, including the `//`. */
  readonly comment: string
}

/** A schema that is nothing but a union. */
export interface Union {
  readonly keyword: 'oneOf' | 'anyOf'
  readonly parts: Parts
}

/** Returns the union that a schema is; undefined for any other. */
export function unionOf(view: SchemaView): Union | undefined {
  const { get } = view
  if (view.typeName !== undefined || hasShape(get) || listOf(get, 'allOf').length > 0) return undefined
  const [oneOf, anyOf] = [combined(view, 'oneOf'), combined(view, 'anyOf')]
  if (oneOf.types.length > 0 && anyOf.types.length > 0) return undefined
  if (oneOf.types.length > 0) return { keyword: 'oneOf', parts: oneOf }
  return anyOf.types.length > 0 ? { keyword: 'anyOf', parts: anyOf } : undefined
}

/**
 * Renders the types of a union's parts, with their descriptions and defaults as comments.
 *
 * @param property - for the union of a property: its description, which no variant repeats, and whether it stands above
 * the property in place of the first variant's, as in the official renderer
 */
export function* variantsOf(
  { types: parts, leftOut }: Parts,
  indent: string,
  scope: Scope,
  property?: { readonly description: string | undefined; readonly hidesFirst: boolean },
): Slices<Variant[]> {
  const variants: Variant[] = []
  let left = parts.length + leftOut
  for (const [index, part] of parts.entries()) {
    if (isFull(scope.room)) break
    left -= 1
    spend(scope.room, indent.length + 4)
    const view = viewOf(part, scope)
    const facts = factsOf(view, scope, property === undefined)
    const type = operand(nullable(view, yield* scope.type(view, `${indent}   `)))
    const description = stringOf(view.get, 'description')
    const isHidden =
      property !== undefined && (description === property.description || (index === 0 && property.hidesFirst))
    const text = description === undefined || isHidden ? [] : [description]
    variants.push({ type, comment: trailingComment([...text, ...facts], `${indent}   `, scope) })
    yield* pauseWhereDue(scope)
  }
  if (left > 0) variants.push({ type: 'any', comment: ` // ${left} more variants are left out` })
  return variants
}

/** A union over many lines begins with a bar, which cannot follow another one. */
function operand(type: string): string {
  return /^\s*(\/\/.*\n\s*)*\|/.test(type) ? `(${type})` : type
}

/** Writes a line for each variant: `INDENT | TYPE // COMMENT`. */
export function variantLines(variants: readonly Variant[], indent: string): string {
  return variants.map(({ type, comment }) => `${indent} | ${type}${comment}`).join('\n')
}

/** Writes the variants on one line, without repetitions; undefined if they do not fit one. */
export function inlineUnion(variants: readonly Variant[]): string | undefined {
  if (variants.some(({ type, comment }) => comment !== '' || type.includes('\n'))) return undefined
  const text = [...new Set(variants.map(({ type }) => type))].join(' | ')
  return text.length > MAX_INLINE ? undefined : text
}

const MAX_INLINE = 100

/** Writes a union outside a property, over many lines like the official renderer's `oneOf`. */
export function* unionType(parts: Parts, isInline: boolean, indent: string, scope: Scope): Slices<string> {
  const variants = yield* variantsOf(parts, indent, scope)
  const short = isInline ? inlineUnion(variants) : undefined
  if (short !== undefined) return short
  // The following text must not become part of the last comment.
  const end = variants.at(-1)?.comment === '' ? '' : `\n${indent}`
  return `\n${variantLines(variants, indent)}${end}`
}

/** Handles `nullable: true` of OpenAPI, if the type does not already mention null. */
export function nullable({ get }: SchemaView, type: string): string {
  return get('nullable') === true && !type.includes('null') ? `${type} | null` : type
}
