// Deletes the declarations that no public one refers to: `node scripts/prune-types.mjs`, the end of a build.
//
// The exports of a subpath are public, and so is each declaration that a public one names. tsc also writes declarations
// that only other modules of the library import, a quarter of all.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist/types')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [join(root, types)]))

const program = ts.createProgram(entries, { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 })
const checker = program.getTypeChecker()
const files = new Set(program.getSourceFiles().filter(({ fileName }) => resolve(fileName).startsWith(folder)))

/** Declarations, and the names in import and export lists, that stay. */
const kept = new Set()
/** Declarations whose names have not been looked up yet. */
const waiting = []

for (const entry of entries) {
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))) {
    keep(symbol)
  }
}
for (let statement = waiting.pop(); statement !== undefined; statement = waiting.pop()) keepNamed(statement)

const written = new Set()
for (const file of files) {
  if (isEmpty(file)) continue
  const text = file.statements
    .map((statement) => keptText(statement, file) || whatKeepsPrivate(statement, file))
    .join('')
  // tsc indents by four spaces: tabs take a fifth of the file's white space.
  writeFileSync(file.fileName, `${text.trim().replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))}\n`)
  written.add(resolve(file.fileName))
}
for (const name of readdirSync(folder, { recursive: true })) {
  const file = join(folder, name)
  if (name.endsWith('.d.ts') && !written.has(file)) rmSync(file)
}

/** Keeps the declarations of a symbol, and each import and export on the way there. */
function keep(symbol) {
  for (const declaration of symbol?.declarations ?? []) {
    if (!files.has(declaration.getSourceFile())) continue
    const isListed = ts.isImportSpecifier(declaration) || ts.isExportSpecifier(declaration)
    const part = isListed || ts.isNamespaceImport(declaration) ? declaration : statementOf(declaration)
    if (kept.has(part)) continue
    kept.add(part)
    if (isListed) keep(linkedBy(part))
    else waiting.push(part)
  }
}

/** Keeps the declarations that the names in a declaration refer to. */
function keepNamed(node) {
  if (ts.isIdentifier(node)) keep(checker.getSymbolAtLocation(node))
  // `typeof import('./module.js')` names all exports of the module.
  if (ts.isImportTypeNode(node) && node.qualifier === undefined) keepAllOf(node.argument.literal)
  // So does a namespace, as `import * as` has it.
  if (ts.isNamespaceImport(node)) keepAllOf(node.parent.parent.moduleSpecifier)
  ts.forEachChild(node, keepNamed)
}

/** Keeps all exports of a specifier's module. */
function keepAllOf(specifier) {
  const module = checker.getSymbolAtLocation(specifier)
  for (const symbol of module === undefined ? [] : checker.getExportsOfModule(module)) keep(symbol)
}

/**
 * Returns the target of a name in an import or export list: one step, because the module in between must keep its own
 * list.
 */
function linkedBy(specifier) {
  const { moduleSpecifier } = listOf(specifier)
  if (moduleSpecifier === undefined) return checker.getExportSpecifierLocalTargetSymbol(specifier)
  const { text } = specifier.propertyName ?? specifier.name
  return checker.tryGetMemberInModuleExports(text, checker.getSymbolAtLocation(moduleSpecifier))
}

/** The import or export declaration that a name is listed in. */
function listOf(specifier) {
  const list = specifier.parent.parent
  return ts.isImportClause(list) ? list.parent : list
}

function statementOf(declaration) {
  let node = declaration
  while (!ts.isSourceFile(node.parent)) node = node.parent
  return node
}

/** Returns the kept part of a statement; empty if there is none. */
function keptText(statement, file) {
  if (ts.isImportDeclaration(statement)) return keptList(statement, statement.importClause.namedBindings, file)
  if (ts.isExportDeclaration(statement)) return keptList(statement, statement.exportClause, file)
  return kept.has(statement) ? statement.getFullText(file) : ''
}

function keptList(statement, list, file) {
  if (list === undefined) return isEmpty(moduleOf(statement)) ? '' : statement.getFullText(file)
  if (ts.isNamespaceImport(list)) return kept.has(list) ? statement.getFullText(file) : ''
  const names = list.elements.filter((name) => kept.has(name)).map((name) => name.getText(file))
  if (names.length === 0) return ''
  const [before, after] = [
    file.text.slice(statement.getFullStart(), list.getStart(file)),
    file.text.slice(list.end, statement.end),
  ]
  return `${before}{ ${names.join(', ')} }${after}`
}

/** The file that `export * from` names. */
function moduleOf({ moduleSpecifier }) {
  return checker.getSymbolAtLocation(moduleSpecifier).valueDeclaration
}

function isEmpty(file) {
  return files.has(file) && file.statements.every((statement) => keptText(statement, file) === '')
}

/** `export {}`, without which a declaration file exports all that it declares. */
function whatKeepsPrivate(statement, file) {
  return ts.isExportDeclaration(statement) && statement.exportClause?.elements?.length === 0
    ? statement.getFullText(file)
    : ''
}
