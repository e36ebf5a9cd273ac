import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { syntaxOf } from './support/compiler.js'

// The architecture, from the ground up: docs/house.md's picture as a table. A name that ends in / is a folder of src/.
const FLOORS: readonly (readonly string[])[] = [
  /* F0 */ [
    'options/',
    'errors.ts',
    'fields.ts',
    'request-error.ts',
    'request-fields.ts',
    'shortened.ts',
    'byte-budget.ts',
    'closable.ts',
    'queue.ts',
    'child-signals.ts',
    'did-you-mean.ts',
    'merged.ts',
    'slices.ts',
    'responses/',
  ],
  /* F1 */ ['harmony/', 'tokens/', 'recipients/', 'sse/', 'engine/', 'grammar/'],
  /* F2 */ ['translate/', 'dialects/', 'prompt/', 'journal/'],
  /* F3 */ [
    'sources/',
    'request/',
    'seal/',
    'tools/',
    'stores/',
    'defaults.ts',
    'next-turn.ts',
    'node-module.ts',
    'unix-seconds.ts',
    'full.ts',
    'types.ts',
  ],
  // F4 is for what joins prompts, engines, the translator and tools: the turns of one response.
  /* F4 */ ['respond/'],
  /* F5 */ ['index.ts', 'core.ts', 'diagnostics.ts', 'trace.ts', 'citations.ts', 'items.ts', 'server/', 'cli/'],
]
/** Folders of one floor do not import each other, except these. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  'options/': ['errors.ts', 'did-you-mean.ts'],
  'errors.ts': ['shortened.ts'],
  'request-error.ts': ['shortened.ts'],
  'request-fields.ts': ['fields.ts', 'request-error.ts'],
  'harmony/': ['tokens/'],
  // How tools are addressed is a part of the format.
  'recipients/': ['harmony/'],
  'engine/': ['tokens/', 'harmony/'],
  // Entries are what a translator is given.
  'journal/': ['translate/'],
  // Servers' output is read in the turns of the process's slices.
  'tools/': ['next-turn.ts'],
  'sources/': ['node-module.ts'],
  'defaults.ts': ['unix-seconds.ts'],
  'stores/': ['unix-seconds.ts'],
  'full.ts': ['defaults.ts'],
  'cli/': ['diagnostics.ts', 'index.ts', 'server/'],
}
/** The subfolders of these folders: each imports only from those to its left. */
const SUBFOLDERS: Readonly<Record<string, readonly string[]>> = {
  'respond/': ['calls/', 'strict/', 'demand/', 'prompts/', 'sampling/', 'compaction/', 'opening/'],
  'server/service/': ['limits/', 'items/', 'storage/', 'conversation/', 'running/', 'take-over/'],
}
/** The separate folders, with everything that they may import. Only the entry points (F5) may import them. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'conformance/': ['errors.ts', 'fields.ts', 'options/', 'responses/', 'core/harmony/vocabulary.ts', 'tokens/'],
  'probe/': ['errors.ts', 'fields.ts', 'options/', 'conformance/', 'sources/http/'],
  'testing/': [
    'errors.ts',
    'fields.ts',
    'options/',
    'slices.ts',
    'engine/',
    'grammar/',
    'harmony/',
    'tokens/',
    'responses/',
    'endpoint/stores/store.ts',
  ],
}
/** Floors up to this one run anywhere and always answer the same: no npm, no Node, no clock, no state. */
const PURE = 2
/** Except for these. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = { 'core/sse/decode.ts': ['eventsource-parser'] }

const AMBIENT: readonly [name: string, pattern: RegExp][] = [
  ['Date.now', /\bDate\s*\.\s*now\b/],
  ['new Date', /\bnew\s+Date\b/],
  ['Math.random', /\bMath\s*\.\s*random\b/],
  ['crypto', /\bcrypto\b/],
  ['setTimeout', /\bsetTimeout\b/],
  ['process.', /\bprocess\s*\./],
  ['fetch(', /\bfetch\s*\(/],
  ['console.', /\bconsole\s*\./],
]

/** Path from src/ to text. */
type Sources = ReadonlyMap<string, string>

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readSources(`${root}src`)

describe('the floors of src/', () => {
  test('every file stands on a floor of the table', () => {
    expect(filesWithoutRoom(sources)).toEqual([])
  })

  test('imports go down or stay within their folder, never up', () => {
    expect(upwardImports(sources)).toEqual([])
  })

  test('imports between subfolders in respond/ and server/service/ go one way', () => {
    expect(backwardImports(sources)).toEqual([])
  })

  test('no file imports itself through others, not even by types', () => {
    expect(circles(sources)).toEqual([])
  })

  test('floors 0-2 import nothing from npm or node:, except eventsource-parser in sse/decode.ts', () => {
    expect(foreignImports(sources)).toEqual([])
  })

  test('floors 0-2 never ask the clock, chance, a timer, the process, the network or the console', () => {
    expect(ambientMentions(sources)).toEqual([])
  })

  test('floors 0-2 hold no state between calls: no top-level let or var', () => {
    expect(moduleState(sources)).toEqual([])
  })

  test('floors 0-2 export no array or object that an importer may write to', () => {
    expect(writableExports(sources)).toEqual([])
  })

  test('every export and command of package.json is built from an entry of tsup.config.ts', () => {
    const built = builtEntries()
    expect(publishedEntries().filter((file) => !built.includes(file))).toEqual([])
  })

  test('every file is reachable from an entry of the package', ({ skip }) => {
    const missing = builtEntries().filter((file) => !sources.has(file))
    skip(missing.length > 0, `not written yet: ${missing.join(', ')}`)
    expect(orphans(sources, builtEntries())).toEqual([])
  })
})

describe('the checks themselves', () => {
  const house = (files: Record<string, string>): Sources => new Map(Object.entries(files))

  test('a file in no folder of the table is reported', () => {
    const made = house({ 'helpers/misc.ts': '', 'core/items/kinds/message.ts': '', 'index.ts': '' })
    expect(filesWithoutRoom(made)).toEqual(['helpers/misc.ts'])
  })

  test('an upward import is reported, however it is written', () => {
    const made = house({
      'core/translate/translate.ts': '',
      'harmony/a.ts': `import { translate } from '../translate/translate.js'`,
      'harmony/b.ts': `import type { Translator } from '../translate/translate.js'`,
      'harmony/c.ts': `export * from '../translate/translate.js'`,
      'harmony/d.ts': `export const load = () => import('../translate/translate.js')`,
      'harmony/e.ts': `export type T = import('../translate/translate.js').Translator`,
      'harmony/f.ts': `import '../translate/translate.js'`,
    })
    expect(upwardImports(made)).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `harmony/${name}.ts -> translate/translate.ts`),
    )
  })

  test('an import across a floor is reported unless the table has it', () => {
    const made = house({
      'errors.ts': '',
      'tokens/table.ts': `import '../harmony/parser.js'; import '../errors.js'`,
      'core/harmony/parser.ts': `import '../tokens/table.js'; import './header.js'`,
      'core/harmony/header.ts': '',
      'core/sse/encode.ts': `import '../harmony/parser.js'`,
    })
    expect(upwardImports(made)).toEqual(['tokens/table.ts -> harmony/parser.ts', 'sse/encode.ts -> harmony/parser.ts'])
  })

  test('what stands beside the floors is imported by the doors only, and imports what the table lists only', () => {
    const made = house({
      'core/translate/translator.ts': `import '../conformance/check.js'`,
      'judge/conformance/check.ts': `import '../responses/events.js'; import '../translate/translator.js'; import './x.js'`,
      'conformance/x.ts': `import '../harmony/vocabulary.js'; import '../harmony/parser.js'`,
      'cli/check.ts': `import '../conformance/check.js'`,
    })
    expect(upwardImports(made)).toEqual([
      'translate/translator.ts -> conformance/check.ts',
      'conformance/check.ts -> translate/translator.ts',
      'conformance/x.ts -> harmony/parser.ts',
    ])
  })

  test('an import from a subfolder to the right is reported, and so is a subfolder that the table lacks', () => {
    const made = house({
      'endpoint/respond/respond.ts': `import './opening/a.js'`,
      'respond/opening/a.ts': `import '../calls/b.js'; import '../respond.js'`,
      'respond/calls/b.ts': `import type { A } from '../opening/a.js'`,
      'respond/other/c.ts': '',
      'server/service/limits/d.ts': `import '../running/e.js'`,
      'server/service/running/e.ts': `import '../../../respond/calls/b.js'`,
    })
    expect(backwardImports(made)).toEqual([
      'respond/calls/b.ts -> respond/opening/a.ts',
      'respond/other/c.ts',
      'server/service/limits/d.ts -> server/service/running/e.ts',
    ])
  })

  test('a circle of imports is reported once, though it is of types alone', () => {
    const made = house({
      'translate/a.ts': `import type { B } from './b.js'`,
      'translate/b.ts': `import type { C } from './c.js'`,
      'translate/c.ts': `import type { A } from './a.js'; import './d.js'`,
      'translate/d.ts': '',
    })
    expect(circles(made)).toEqual(['translate/a.ts -> translate/b.ts -> translate/c.ts -> translate/a.ts'])
  })

  test('an import from npm or node: is reported on floors 0-2 alone', () => {
    const made = house({
      'core/sse/decode.ts': `import { createParser } from 'eventsource-parser'; import 'zod'`,
      'core/sse/encode.ts': `import { createParser } from 'eventsource-parser'; import './decode.js'`,
      'tokens/table.ts': `import { readFileSync } from 'node:fs'; const zlib = () => import('zlib')`,
      'core/recipients/mcp.ts': `import '../../package.json'`,
      'core/harmony/parser.ts': 'export const load = (name: string) => import(name)',
      'cli/main.ts': `import { readFileSync } from 'node:fs'; import 'zod'`,
    })
    expect(foreignImports(made)).toEqual([
      'sse/decode.ts -> zod',
      'sse/encode.ts -> eventsource-parser',
      'tokens/table.ts -> node:fs',
      'tokens/table.ts -> zlib',
      'recipients/mcp.ts -> ../../package.json',
      'harmony/parser.ts -> (computed)',
    ])
  })

  test('a clock, chance, a timer and the like are found in code, and not in comments, strings or patterns', () => {
    const made = house({
      'translate/a.ts': `
        // Date.now() would be wrong here
        /** never Math.random() @see crypto */
        export const text = 'process.exit()' + "console.log" + \`new Date \${1} fetch(x)\`
        export const pattern = /setTimeout/
        export const encrypted_content = 1`,
      'translate/b.ts': `export const now = () => \`\${Date.now()}\` + Math
        .random()`,
      'sse/c.ts': 'export const go = () => { setTimeout(() => console.log(new Date()), process.pid); fetch("x") }',
      'sources/d.ts': 'export const now = () => Date.now()',
    })
    expect(ambientMentions(made)).toEqual([
      'translate/b.ts: Date.now',
      'translate/b.ts: Math.random',
      'sse/c.ts: new Date',
      'sse/c.ts: setTimeout',
      'sse/c.ts: process.',
      'sse/c.ts: fetch(',
      'sse/c.ts: console.',
    ])
  })

  test('a top-level let or var is reported on floors 0-2, one within a function is not', () => {
    const made = house({
      'tokens/a.ts': 'let table: string | undefined\nexport var other = 1\nexport const fine = 1',
      'tokens/b.ts': 'export function f(): number { let n = 0; n += 1; return n }\ndeclare let known: number',
      'tokens/c.ts': '{ let hidden = 0; hidden += 1 }',
      'cli/main.ts': 'let argument = 1',
    })
    expect(moduleState(made)).toEqual(['tokens/a.ts: table', 'tokens/a.ts: other', 'tokens/c.ts: hidden'])
  })

  test('an exported literal is reported unless it is readonly by its type, as const, or frozen', () => {
    const made = house({
      'tokens/a.ts': 'export const queue = []\nexport const list: string[] = ["a"]\nexport const table = { a: 1 }',
      'tokens/b.ts': 'export const wide: Array<number> = [1]\nexport const record: Record<string, number> = {}',
      'tokens/c.ts': 'export const fine: readonly string[] = []\nexport const same = { a: 1 } as const',
      'tokens/d.ts': 'export const frozen: string[] = Object.freeze([]) as never\nexport const kind: Kind = { a: 1 }',
      'tokens/e.ts': 'const own: string[] = []\nexport const size = own.length\nexport const f = () => []',
      'tokens/f.ts': 'export const map: Readonly<Record<string, number>> = { a: 1 }',
      'cli/main.ts': 'export const list = []',
    })
    expect(writableExports(made)).toEqual([
      'tokens/a.ts: queue',
      'tokens/a.ts: list',
      'tokens/a.ts: table',
      'tokens/b.ts: wide',
      'tokens/b.ts: record',
    ])
  })

  test('a file that no entry leads to is reported', () => {
    const made = house({
      'index.ts': `export * from './translate/translate.js'`,
      'core/translate/translate.ts': `import type { Item } from './items/item.js'; const t = () => import('../tokens/t.js')`,
      'translate/items/item.ts': '',
      'translate/items/forgotten.ts': `import './item.js'`,
      'tokens/t.ts': '',
    })
    expect(orphans(made, ['index.ts'])).toEqual(['translate/items/forgotten.ts'])
  })
})

// ------------------------------------------------------------------------------------------------------ the checks

function filesWithoutRoom(files: Sources): string[] {
  return [...files.keys()].filter((file) => roomOf(file) === undefined)
}

function upwardImports(files: Sources): string[] {
  return [...files].flatMap(([file, text]) =>
    importsOf(file, text)
      .flatMap((specifier) => resolveImport(files, file, specifier) ?? [])
      .filter((target) => !mayImport(file, target))
      .map((target) => `${file} -> ${target}`),
  )
}

/** The imports from subfolders to the right, and the files in subfolders that the table lacks. */
function backwardImports(files: Sources): string[] {
  return Object.entries(SUBFOLDERS).flatMap(([room, subfolders]) => {
    const placeOf = (file: string): number => subfolders.findIndex((subfolder) => file.startsWith(room + subfolder))
    const nested = [...files].filter(([file]) => file.startsWith(room) && file.slice(room.length).includes('/'))
    return nested.flatMap(([file, text]) => {
      if (placeOf(file) === -1) return [file]
      const targets = importsOf(file, text).flatMap((specifier) => resolveImport(files, file, specifier) ?? [])
      return targets.filter((target) => placeOf(target) > placeOf(file)).map((target) => `${file} -> ${target}`)
    })
  })
}

/** Each circle of imports, by the way around it from the file that was found first. */
function circles(files: Sources): string[] {
  const found: string[] = []
  const finished = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    const text = files.get(file)
    if (text === undefined || path.includes(file) || finished.has(file)) return
    const targets = importsOf(file, text).flatMap((specifier) => resolveImport(files, file, specifier) ?? [])
    for (const target of targets) visit(target, [...path, file])
    finished.add(file)
  }
  for (const file of files.keys()) visit(file, [])
  return found
}

function mayImport(file: string, target: string): boolean {
  const from = roomOf(file)
  const to = roomOf(target)
  if (from === undefined || to === undefined || from === to) return true
  const listed = BESIDE[from]
  if (listed !== undefined) return listed.some((name) => contains(name, target))
  if (to in BESIDE) return floorOf(from) === FLOORS.length - 1
  return floorOf(to) < floorOf(from) || (NEIGHBOURS[from] ?? []).includes(to)
}

function foreignImports(files: Sources): string[] {
  return pure(files).flatMap(([file, text]) =>
    importsOf(file, text)
      .filter((specifier) => !withinSrc(file, specifier) && !(PACKAGES[file] ?? []).includes(specifier))
      .map((specifier) => `${file} -> ${specifier}`),
  )
}

function ambientMentions(files: Sources): string[] {
  return pure(files).flatMap(([file, text]) => {
    const code = codeOf(file, text)
    return AMBIENT.filter(([, pattern]) => pattern.test(code)).map(([name]) => `${file}: ${name}`)
  })
}

function moduleState(files: Sources): string[] {
  return pure(files).flatMap(([file, text]) =>
    mutableNames(parse(file, text).statements).map((name) => `${file}: ${name}`),
  )
}

function writableExports(files: Sources): string[] {
  return pure(files).flatMap(([file, text]) =>
    parse(file, text)
      .statements.filter((node) => ts.isVariableStatement(node))
      .filter((node) => (node.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
      .flatMap(({ declarationList }) => declarationList.declarations.filter(isWritable))
      .map(({ name }) => `${file}: ${name.getText()}`),
  )
}

function orphans(files: Sources, entries: readonly string[]): string[] {
  const reached = new Set<string>()
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const from = file
    const text = files.get(from)
    if (text === undefined || reached.has(from)) continue
    reached.add(from)
    waiting.push(...importsOf(from, text).flatMap((specifier) => resolveImport(files, from, specifier) ?? []))
  }
  return [...files.keys()].filter((file) => !reached.has(file))
}

// ------------------------------------------------------------------------------------------------------ the table

/** The table's name for a file. */
function roomOf(file: string): string | undefined {
  return [...FLOORS.flat(), ...Object.keys(BESIDE)].find((name) => contains(name, file))
}

function contains(name: string, file: string): boolean {
  return name.endsWith('/') ? file.startsWith(name) : file === name
}

function floorOf(room: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(room))
}

function pure(files: Sources): [file: string, text: string][] {
  return [...files].filter(([file]) => {
    const room = roomOf(file)
    return room !== undefined && !(room in BESIDE) && floorOf(room) <= PURE
  })
}

// ------------------------------------------------------------------------------------------------- reading TypeScript

const parsed = new Map<string, ts.SourceFile>()

/** Each file is parsed once. */
function parse(file: string, text: string): ts.SourceFile {
  const known = parsed.get(file)
  if (known?.text === text) return known
  const source = syntaxOf(file, text)
  parsed.set(file, source)
  return source
}

const imported = new Map<string, { readonly text: string; readonly found: readonly string[] }>()

/**
 * The specifiers of a file's imports and re-exports of any form; `(computed)` for one that is known only at run time.
 * Each file is read once.
 */
function importsOf(file: string, text: string): readonly string[] {
  const known = imported.get(file)
  if (known?.text === text) return known.found
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      found.push(specifierOf(node.moduleSpecifier))
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      found.push(specifierOf(node.arguments[0]))
    } else if (ts.isImportTypeNode(node)) {
      found.push(specifierOf(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined))
    }
    ts.forEachChild(node, visit)
  }
  visit(parse(file, text))
  imported.set(file, { text, found })
  return found
}

function specifierOf(node: ts.Node | undefined): string {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : '(computed)'
}

/** A file's code alone: comments become a blank, and so do strings, templates' texts and regular expressions. */
function codeOf(file: string, text: string): string {
  const source = parse(file, text)
  let code = ''
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source)
    for (const child of children) visit(child)
    if (children.length > 0) return
    if (node.pos < node.getStart(source)) code += ' '
    code +=
      ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node) || isTemplateText(node)
        ? "''"
        : node.getText(source)
  }
  visit(source)
  return code
}

function isTemplateText(node: ts.Node): boolean {
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)
}

/** The names of every let and var that these statements declare, bare blocks and loops included. */
function mutableNames(statements: readonly ts.Node[]): string[] {
  return statements.flatMap((node) => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node) || isAmbient(node)) return []
    if (ts.isVariableDeclarationList(node) && (node.flags & ts.NodeFlags.Const) === 0) {
      return node.declarations.map((declaration) => declaration.name.getText())
    }
    const children: ts.Node[] = []
    ts.forEachChild(node, (child) => void children.push(child))
    return mutableNames(children)
  })
}

/** Types that say by themselves that they can be written to. A type by another name may have readonly fields. */
const WRITABLE = /^(?:Array|Record)$/

/** Whether a literal is declared without a type or `as const`, or by a type that can be written to. */
function isWritable({ type, initializer }: ts.VariableDeclaration): boolean {
  const isLiteral =
    initializer !== undefined && (ts.isArrayLiteralExpression(initializer) || ts.isObjectLiteralExpression(initializer))
  if (!isLiteral) return false
  if (type === undefined || ts.isArrayTypeNode(type)) return true
  return ts.isTypeReferenceNode(type) && WRITABLE.test(type.typeName.getText())
}

function isAmbient(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword)
  )
}

function withinSrc(from: string, specifier: string): boolean {
  return specifier.startsWith('.') && !posix.join(posix.dirname(from), specifier).startsWith('..')
}

/** The file that a relative specifier means, written or not: sources spell the .js that a .ts becomes. */
function resolveImport(files: Sources, from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const path = posix.join(posix.dirname(from), specifier)
  const module = path.replace(/\.js$/, '.ts')
  return files.has(path) ? path : module
}

// ------------------------------------------------------------------------------------------------- reading the project

function readSources(folder: string): Sources {
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.[jt]s$/.test(file))
  return new Map(files.sort().map((file) => [file, readFileSync(`${folder}/${file}`, 'utf8')]))
}

/** The sources that tsup builds from. */
function builtEntries(): string[] {
  const config = readFileSync(`${root}tsup.config.ts`, 'utf8')
  return [...config.matchAll(/'src\/([^']+\.ts)'/g)].flatMap(([, file]) => file ?? [])
}

/** The sources behind package.json's exports and commands. */
function publishedEntries(): string[] {
  const manifest: { exports: Record<string, string | { default: string }>; bin: Record<string, string> } = JSON.parse(
    readFileSync(`${root}package.json`, 'utf8'),
  )
  const targets = Object.values(manifest.exports).map((target) =>
    typeof target === 'string' ? target : target.default,
  )
  return [...targets, ...Object.values(manifest.bin)].flatMap((target) => {
    const [, file] = /^\.\/dist\/(.+)\.js$/.exec(target) ?? []
    return file === undefined ? [] : `${file}.ts`
  })
}
