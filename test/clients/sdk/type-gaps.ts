import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { programOf } from '../../support/compiler.js'

/** A type that a module exports. */
export interface TypeName {
  /** The path of its file. */
  readonly file: string
  readonly name: string
}

export const ours = (path: string, name: string): TypeName => ({
  file: fileURLToPath(new URL(`../../../src/${path}`, import.meta.url)),
  name,
})

/**
 * What one type knows and another one does not, as the compiler reads both: members of unions, which `type` tells apart,
 * fields, and strings. `.items[]<message>.phase = 'draft'` is a string, `.items[]<message>.phase` a field, and
 * `.items[]<message>` a member. Whether a field may be missing or null does not count.
 *
 * @returns the places, each once: a pair of types that was compared before is not compared again
 */
export function typeGaps(pairs: readonly { readonly theirs: TypeName; readonly ours: TypeName }[]): string[][] {
  const files = [...new Set(pairs.flatMap(({ theirs, ours }) => [theirs.file, ours.file]))]
  const program = programOf(files, { types: [] })
  const checker = program.getTypeChecker()
  const typeOf = ({ file, name }: TypeName): ts.Type => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    const exported = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name)
    if (exported === undefined) throw new Error(`${file} exports no ${name}`)
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    return checker.getDeclaredTypeOfSymbol(symbol)
  }
  return pairs.map((pair) => {
    const comparison = new Comparison(checker)
    comparison.compare(membersOf(typeOf(pair.theirs)), membersOf(typeOf(pair.ours)), '')
    return [...comparison.gaps]
  })
}

const NOTHING = ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Never
const WIDE = ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive

/** The members of a union without null and undefined; a type that is none is its only member. */
function membersOf(type: ts.Type): ts.Type[] {
  return (type.isUnion() ? type.types : [type]).filter(({ flags }) => (flags & NOTHING) === 0)
}

/** Whether it is any string, also as `string & {}`, which shows editors the known ones beside it. */
function isAnyString(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.String) !== 0 || (type.isIntersection() && type.types.some(isAnyString))
}

class Comparison {
  readonly #checker: ts.TypeChecker
  readonly #compared = new Set<string>()
  readonly gaps = new Set<string>()

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker
  }

  compare(theirs: readonly ts.Type[], ours: readonly ts.Type[], path: string): void {
    const pair = [theirs, ours]
      .map((types) => types.map((type) => (type as unknown as { id: number }).id).join())
      .join('|')
    if (this.#compared.has(pair)) return
    this.#compared.add(pair)
    if (ours.some((type) => this.#takesAll(type))) return
    this.#strings(theirs, ours, path)
    const lists = ours.filter((type) => this.#elementsOf(type) !== undefined)
    const objects = ours.filter((type) => this.#isObject(type))
    for (const type of theirs) {
      const elements = this.#elementsOf(type)
      if (elements !== undefined) {
        const known = lists.flatMap((list) => this.#elementsOf(list) ?? [])
        if (lists.length === 0) this.gaps.add(`${path}[]`)
        else this.compare(elements, known, `${path}[]`)
      } else if (this.#isObject(type)) this.#object(type, objects, path)
    }
  }

  #strings(theirs: readonly ts.Type[], ours: readonly ts.Type[], path: string): void {
    if (ours.some(isAnyString)) return
    const known = new Set(ours.map((type) => (type.isStringLiteral() ? type.value : undefined)))
    for (const type of theirs)
      if (type.isStringLiteral() && !known.has(type.value)) this.gaps.add(`${path} = '${type.value}'`)
  }

  #object(theirs: ts.Type, ours: readonly ts.Type[], path: string): void {
    const tags = this.#tagsOf(theirs).filter((tag) => tag.isStringLiteral())
    if (tags.length === 0) this.#fields(theirs, ours, path)
    for (const tag of tags) {
      const same = ours.filter((type) =>
        this.#tagsOf(type).some((known) => this.#checker.isTypeAssignableTo(tag, known)),
      )
      const place = `${path}<${tag.value}>`
      if (same.length === 0) this.gaps.add(place)
      else this.#fields(theirs, same, place)
    }
  }

  #fields(theirs: ts.Type, ours: readonly ts.Type[], path: string): void {
    if (ours.some((type) => type.getStringIndexType() !== undefined)) return
    for (const property of this.#checker.getPropertiesOfType(theirs)) {
      if (property.name === 'type') continue
      const place = `${path}.${property.name}`
      const known = ours.flatMap((type) => this.#valuesOf(type, property.name))
      const values = membersOf(this.#checker.getTypeOfSymbol(property))
      if (known.length > 0) this.compare(values, known.flatMap(membersOf), place)
      else this.gaps.add(place)
    }
  }

  #valuesOf(type: ts.Type, name: string): ts.Type[] {
    const property = this.#checker.getPropertyOfType(type, name)
    return property === undefined ? [] : [this.#checker.getTypeOfSymbol(property)]
  }

  /** What a type may have as its `type`. */
  #tagsOf(type: ts.Type): ts.Type[] {
    return this.#valuesOf(type, 'type').flatMap(membersOf)
  }

  /** Whether it stands for what is not looked at: anything, or an object of any `type`. */
  #takesAll(type: ts.Type): boolean {
    if ((type.flags & WIDE) !== 0) return true
    return this.#tagsOf(type).some(isAnyString) && this.#checker.getPropertiesOfType(type).length === 1
  }

  #elementsOf(type: ts.Type): ts.Type[] | undefined {
    if (!this.#checker.isArrayType(type)) return undefined
    return this.#checker.getTypeArguments(type as ts.TypeReference).flatMap(membersOf)
  }

  #isObject(type: ts.Type): boolean {
    const isPlain = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
    return isPlain && !isAnyString(type) && !this.#checker.isArrayType(type)
  }
}
