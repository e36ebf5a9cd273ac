import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
// @ts-expect-error: dependency-cruiser reads its rules from JavaScript
import { PURE_FOLDERS as FOLDERS, SYSTEM } from '../.dependency-cruiser.mjs'
import { syntaxOf } from './support/compiler.js'

// What pure code does not do. `.dependency-cruiser.mjs` says which code is pure, and enforces what it imports.

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

const sources = readSources(fileURLToPath(new URL('../src', import.meta.url)))

const PURE_FOLDERS: readonly string[] = FOLDERS

describe('pure code', () => {
  test.each(PURE_FOLDERS)('%s has files', (folder) => {
    expect([...sources.keys()].some((file) => file.startsWith(`${folder}/`))).toBe(true)
  })

  test('pure code never asks the clock, chance, a timer, the process, the network or the console', () => {
    expect(ambientMentions(sources)).toEqual([])
  })

  test('pure code holds no state between calls: no top-level let or var', () => {
    expect(moduleState(sources)).toEqual([])
  })

  test('pure code exports no array or object that an importer may write to', () => {
    expect(writableExports(sources)).toEqual([])
  })
})

describe('the checks themselves', () => {
  const sourcesOf = (files: Record<string, string>): Sources => new Map(Object.entries(files))

  test('a clock, chance, a timer and the like are found in code, and not in comments, strings or patterns', () => {
    const made = sourcesOf({
      'core/translate/a.ts': `
        // Date.now() would be wrong here
        /** never Math.random() @see crypto */
        export const text = 'process.exit()' + "console.log" + \`new Date \${1} fetch(x)\`
        export const pattern = /setTimeout/
        export const encrypted_content = 1`,
      'core/translate/b.ts': `export const now = () => \`\${Date.now()}\` + Math
        .random()`,
      'core/sse/c.ts': 'export const go = () => { setTimeout(() => console.log(new Date()), process.pid); fetch("x") }',
      'engines/sources/d.ts': 'export const now = () => Date.now()',
    })
    expect(ambientMentions(made)).toEqual([
      'core/translate/b.ts: Date.now',
      'core/translate/b.ts: Math.random',
      'core/sse/c.ts: new Date',
      'core/sse/c.ts: setTimeout',
      'core/sse/c.ts: process.',
      'core/sse/c.ts: fetch(',
      'core/sse/c.ts: console.',
    ])
  })

  test('a top-level let or var is reported in pure code, one within a function is not', () => {
    const made = sourcesOf({
      'core/tokens/a.ts': 'let table: string | undefined\nexport var other = 1\nexport const fine = 1',
      'core/tokens/b.ts': 'export function f(): number { let n = 0; n += 1; return n }\ndeclare let known: number',
      'core/tokens/c.ts': '{ let hidden = 0; hidden += 1 }',
      'cli/main.ts': 'let argument = 1',
    })
    expect(moduleState(made)).toEqual([
      'core/tokens/a.ts: table',
      'core/tokens/a.ts: other',
      'core/tokens/c.ts: hidden',
    ])
  })

  test('an exported literal is reported unless it is readonly by its type, as const, or frozen', () => {
    const made = sourcesOf({
      'core/tokens/a.ts': 'export const queue = []\nexport const list: string[] = ["a"]\nexport const table = { a: 1 }',
      'core/tokens/b.ts': 'export const wide: Array<number> = [1]\nexport const record: Record<string, number> = {}',
      'core/tokens/c.ts': 'export const fine: readonly string[] = []\nexport const same = { a: 1 } as const',
      'core/tokens/d.ts':
        'export const frozen: string[] = Object.freeze([]) as never\nexport const kind: Kind = { a: 1 }',
      'core/tokens/e.ts': 'const own: string[] = []\nexport const size = own.length\nexport const f = () => []',
      'core/tokens/f.ts': 'export const map: Readonly<Record<string, number>> = { a: 1 }',
      'cli/main.ts': 'export const list = []',
    })
    expect(writableExports(made)).toEqual([
      'core/tokens/a.ts: queue',
      'core/tokens/a.ts: list',
      'core/tokens/a.ts: table',
      'core/tokens/b.ts: wide',
      'core/tokens/b.ts: record',
    ])
  })
})

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

function pure(files: Sources): [file: string, text: string][] {
  return [...files].filter(
    ([file]) => PURE_FOLDERS.some((folder) => file.startsWith(`${folder}/`)) && !file.startsWith(`${SYSTEM}/`),
  )
}

function readSources(folder: string): Sources {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  return new Map(files.sort().map((file) => [file, readFileSync(`${folder}/${file}`, 'utf8')]))
}

const parsed = new Map<string, ts.SourceFile>()

/** Each file is parsed once. */
function parse(file: string, text: string): ts.SourceFile {
  const known = parsed.get(file)
  if (known?.text === text) return known
  const source = syntaxOf(file, text)
  parsed.set(file, source)
  return source
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
