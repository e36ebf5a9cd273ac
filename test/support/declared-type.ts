import type ts from 'typescript'
import { programOf } from './compiler.js'

/** A type of a declaration file, with the checker that describes it. */
export interface DeclaredType {
  readonly checker: ts.TypeChecker
  readonly type: ts.Type
}

const programs = new Map<string, ts.Program>()

/**
 * A type as the compiler reads it.
 *
 * @param file - the path of the declaration file
 * @param name - a type that it exports
 */
export function declaredType(file: string, name: string): DeclaredType {
  const program = programs.get(file) ?? programOf([file], { types: [] })
  programs.set(file, program)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  const exported = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name)
  if (exported === undefined) throw new Error(`${file} exports no ${name}`)
  return { checker, type: checker.getDeclaredTypeOfSymbol(exported) }
}

/** The members of a union; a type that is none is its only member. */
export function membersOf({ checker, type }: DeclaredType): DeclaredType[] {
  return (type.isUnion() ? type.types : [type]).map((member) => ({ checker, type: member }))
}

/** The names of a type's properties; of a union, those of any member. */
export function propertiesOf(declared: DeclaredType): Set<string> {
  const properties = membersOf(declared).flatMap(({ checker, type }) => checker.getPropertiesOfType(type))
  return new Set(properties.map(({ name }) => name))
}

/** The type of a property, without `undefined`. */
export function propertyOf({ checker, type }: DeclaredType, name: string): DeclaredType {
  const property = checker.getPropertyOfType(type, name)
  if (property === undefined) throw new Error(`${checker.typeToString(type)} has no ${name}`)
  return { checker, type: checker.getNonNullableType(checker.getTypeOfSymbol(property)) }
}

/** The strings of a type that is one, or a union with some. */
export function literalsOf(declared: DeclaredType): string[] {
  return membersOf(declared).flatMap(({ type }) => (type.isStringLiteral() ? [type.value] : []))
}
