import ts from 'typescript'
import { root } from './pages.js'

/** A field or method of an exported type. */
export interface Field {
  /** `HostUsage.inputTokens`. */
  readonly name: string
  /** Where it is declared: `src/core/tokens/token-source.ts`. */
  readonly path: string
  /** The docstring, or that of the member of a union that has the field; '' if there is none. */
  readonly docstring: string
}

/** The fields of an exported type that the package declares, inherited ones included. */
export function fieldsOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly Field[] {
  return (symbol.declarations ?? []).flatMap((declaration) => {
    if (ts.isTypeAliasDeclaration(declaration)) return fieldsIn(declaration.type, '', symbol.name)
    if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return []
    const properties = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    return properties.flatMap(({ declarations = [] }) =>
      declarations.flatMap((member) => fieldAt(member, symbol.name, docstringOf(member))),
    )
  })
}

/** The fields of the object types in a union or an intersection. The docstring of a member is one for its fields. */
function fieldsIn(type: ts.TypeNode, docstring: string, owner: string): Field[] {
  if (ts.isParenthesizedTypeNode(type)) return fieldsIn(type.type, docstring, owner)
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) {
    // The docstring of a member precedes the bar.
    const starts = [type.pos, ...type.types.map(({ end }) => end)]
    return type.types.flatMap((each, index) =>
      fieldsIn(each, docstringAt(each, starts[index] ?? each.pos) || docstring, owner),
    )
  }
  if (!ts.isTypeLiteralNode(type)) return []
  return type.members.flatMap((member) => fieldAt(member, owner, docstringOf(member) || docstring))
}

function fieldAt(member: ts.Node, owner: string, docstring: string): Field[] {
  const isField =
    ts.isPropertySignature(member) ||
    ts.isMethodSignature(member) ||
    ts.isGetAccessor(member) ||
    ts.isPropertyDeclaration(member) ||
    ts.isMethodDeclaration(member)
  const path = member.getSourceFile().fileName.slice(root.length)
  if (!isField || ts.isPrivateIdentifier(member.name) || !path.startsWith('src/') || isConstant(member)) return []
  return [{ name: `${owner}.${member.name.getText()}`, path, docstring }]
}

/** Whether the type, or the value, of a field says all: `type: 'keepalive'`. */
function isConstant(member: ts.Node): boolean {
  if (ts.isPropertySignature(member)) return member.type !== undefined && ts.isLiteralTypeNode(member.type)
  return (
    ts.isPropertyDeclaration(member) && member.initializer !== undefined && ts.isLiteralExpression(member.initializer)
  )
}

const docstringOf = (node: ts.Node): string => docstringAt(node, node.pos)

function docstringAt(node: ts.Node, at: number): string {
  const { text } = node.getSourceFile()
  const comments = ts.getLeadingCommentRanges(text, at) ?? []
  const { pos = 0, end = 0 } = comments.findLast(({ pos }) => text.startsWith('/**', pos)) ?? {}
  return end === 0 ? '' : text.slice(pos + 3, end - 2).trim()
}
