import ts from 'typescript'
import { programOf } from '../support/compiler.js'
import { type Field, fieldsOf } from './fields.js'
import { type Block, blocksOf, root } from './pages.js'
import { sources } from './snippets.js'

/** What a user can import, with its docstring. */
export interface Documented {
  readonly name: string
  /** Where it is declared: `src/core/sse/encode.ts`. */
  readonly path: string
  readonly isFunction: boolean
  /** The docstring, without its frame; '' if there is none. */
  readonly docstring: string
  /** The code below each `@example`. */
  readonly examples: readonly Block[]
  /** Its fields and methods, if it is a type or a class. */
  readonly fields: readonly Field[]
}

/** All that the package exports, each once, however many subpaths export it. */
export function readReference(): readonly Documented[] {
  const entries = Object.values(sources)
  const program = programOf(entries)
  const checker = program.getTypeChecker()
  const found = new Set<ts.Symbol>()
  for (const entry of entries) {
    const source = program.getSourceFile(entry)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${entry} is no module`)
    for (const each of checker.getExportsOfModule(module)) {
      found.add(each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each)
    }
  }
  return Array.from(found, (symbol) => documented(symbol, checker))
}

function documented(symbol: ts.Symbol, checker: ts.TypeChecker): Documented {
  const [declaration] = symbol.declarations ?? []
  if (declaration === undefined) throw new Error(`${symbol.name} is declared nowhere`)
  const source = declaration.getSourceFile()
  const path = source.fileName.slice(root.length)
  const statement = ts.findAncestor(declaration, ts.isStatement) ?? declaration
  const comments = ts.getLeadingCommentRanges(source.text, statement.pos) ?? []
  const { pos = 0, end = 0 } = comments.findLast(({ pos }) => source.text.startsWith('/**', pos)) ?? {}
  const docstring = end === 0 ? '' : source.text.slice(pos + 3, end - 2).replace(/^ *\* ?/gm, '')
  const { line } = source.getLineAndCharacterOfPosition(pos)
  return {
    name: symbol.name,
    path,
    isFunction:
      (symbol.flags & ts.SymbolFlags.Class) === 0 &&
      (symbol.flags & ts.SymbolFlags.Value) !== 0 &&
      checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0,
    docstring: docstring.trim(),
    examples: blocksOf({ path, text: docstring })
      .filter(({ said }) => said.endsWith('@example'))
      .map((block) => ({ ...block, line: block.line + line })),
    fields: fieldsOf(symbol, checker),
  }
}
