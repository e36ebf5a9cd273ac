import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { SETTINGS } from './compiler.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A parameter of an exported function, or of a class's constructor, with optional properties. */
export interface ExportedOptions {
  /** `./sse toSseResponse init` */
  readonly name: string
  /** The names of its properties. */
  readonly options: readonly string[]
}

/**
 * All object parameters of the package's exports with an optional property: only a check notices a misspelled one. A
 * function that several subpaths export is found once.
 */
export function exportedOptions(): ExportedOptions[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  const doors = Object.entries(exports).flatMap(([subpath, entry]) =>
    typeof entry === 'string' ? [] : [[subpath, sourceOf(entry.types)] as const],
  )
  const program = declarationsOf(doors.map(([, file]) => file))
  const checker = program.getTypeChecker()
  const seen = new Set<ts.Symbol>()
  return doors.flatMap(([subpath, file]) => {
    const source = program.getSourceFile(file)
    const door = source && checker.getSymbolAtLocation(source)
    if (door === undefined) throw new Error(`${file} exports nothing`)
    return checker.getExportsOfModule(door).flatMap((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      if (seen.has(symbol)) return []
      seen.add(symbol)
      return [...optionsIn(checker, symbol)].map(([parameter, options]) => ({
        name: `${subpath} ${exported.name} ${parameter}`,
        options,
      }))
    })
  })
}

function optionsIn(checker: ts.TypeChecker, symbol: ts.Symbol): Map<string, string[]> {
  const found = new Map<string, string[]>()
  if (!(symbol.flags & ts.SymbolFlags.Value)) return found
  const type = checker.getTypeOfSymbol(symbol)
  for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
    for (const parameter of signature.getParameters()) {
      const given = checker.getNonNullableType(checker.getTypeOfSymbol(parameter))
      const members = given.isUnion() ? given.types : [given]
      const properties = members.every((member) => isPlainObject(checker, member))
        ? members.flatMap((member) => checker.getPropertiesOfType(member))
        : []
      if (!properties.some(({ flags }) => flags & ts.SymbolFlags.Optional)) continue
      const names = new Set([...(found.get(parameter.name) ?? []), ...properties.map(({ name }) => name)])
      found.set(parameter.name, [...names])
    }
  }
  return found
}

function isPlainObject(checker: ts.TypeChecker, type: ts.Type): boolean {
  const isObject = (type.flags & ts.TypeFlags.Object) !== 0 || type.isIntersection()
  return isObject && !checker.isArrayLikeType(type) && type.getCallSignatures().length === 0
}

function sourceOf(types: string): string {
  return `${root}src/${types.replace('./dist/types/', '').replace('.d.ts', '.ts')}`
}

/** Only the parts of the files that declarations need: all exports and half of the imports. */
function declarationsOf(files: readonly string[]): ts.Program {
  const settings: ts.CompilerOptions = { ...SETTINGS, lib: ['lib.es2022.d.ts'], types: [] }
  const host = ts.createCompilerHost(settings)
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone
  host.resolveModuleNameLiterals = (literals, from, _redirected, _options, source) => {
    const needed = neededBy(source)
    return literals.map(({ text }) => {
      const path = resolve(dirname(from), text.replace(/\.js$/, '.ts'))
      const isFound = needed.has(text) && text.startsWith('.') && existsSync(path)
      return { resolvedModule: isFound ? { resolvedFileName: path, extension: ts.Extension.Ts } : undefined }
    })
  }
  return ts.createProgram(files, settings, host)
}

function neededBy(source: ts.SourceFile): Set<string> {
  const needed = new Set<string>()
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) add(statement.moduleSpecifier)
    else if (ts.isImportDeclaration(statement) && hasTypes(statement.importClause)) add(statement.moduleSpecifier)
  }
  return needed

  function add(specifier: ts.Expression | undefined): void {
    if (specifier !== undefined && ts.isStringLiteral(specifier)) needed.add(specifier.text)
  }
}

function hasTypes(clause: ts.ImportClause | undefined): boolean {
  const named = clause?.namedBindings
  if (clause === undefined || named === undefined) return false
  return clause.isTypeOnly || (ts.isNamedImports(named) && named.elements.some(({ isTypeOnly }) => isTypeOnly))
}
