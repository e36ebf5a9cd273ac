import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { syntaxOf } from './support/compiler.js'

/*
 * What differs between Linux, macOS and Windows is in one folder, where tests simulate each. Nothing else uses it directly.
 */
const PLATFORM = 'shared/system/platform/'

/** Names of Node's modules that behave otherwise on another system, or do not exist there. */
const NAMES: Readonly<Record<string, RegExp>> = {
  child_process: /./,
  fs: /^(?:sym)?link|^rename|chmod|chown|^copyFile/,
  path: /^(?:sep|delimiter|win32|posix|isAbsolute)$/,
  os: /^(?:platform|type|homedir|userInfo)$/,
  tty: /./,
}

const sources = (): [file: string, text: string][] => {
  const folder = fileURLToPath(new URL('../src/', import.meta.url))
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
    .sort()
    .map((file) => [file.replaceAll('\\', '/'), readFileSync(folder + file, 'utf8')])
}

test('only the platform folder starts processes, handles signals, renames files, and asks which system it runs on', () => {
  const found = sources().flatMap(([file, text]) => (file.startsWith(PLATFORM) ? [] : usesOf(file, text)))
  expect(found).toEqual([])
})

test('the platform folder has what it is there for', () => {
  const used = sources().flatMap(([file, text]) => (file.startsWith(PLATFORM) ? usesOf(file, text) : []))
  expect(new Set(used.map((use) => use.split(': ')[1]))).toEqual(
    new Set([
      'SIGINT',
      'SIGTERM',
      'SIGBREAK',
      'SIGHUP',
      'SIGKILL',
      'spawn',
      'execFile',
      'isatty',
      'rename',
      'linkSync',
      'chmodSync',
      'copyFileSync',
      'platform',
      'node:path',
    ]),
  )
})

/** Names that Windows keeps for devices, with any ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

test('every file that ships has a name that all systems can have, also where capitals do not count', () => {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const files = ['src', 'fixtures', 'docs', 'examples'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  const isBad = (name: string): boolean => /[<>:"|?*\p{Cc}]|[. ]$/u.test(name) || DEVICES.test(name)
  expect(files.filter((file) => file.split(/[\\/]/).some(isBad))).toEqual([])
  expect(new Set(files.map((file) => file.normalize().toLowerCase())).size).toBe(files.length)
})

describe('the check', () => {
  test.each([
    ["import { spawn } from 'node:child_process'", ['spawn']],
    ["import * as children from 'node:child_process'", ['node:child_process']],
    ["const { exec } = await import('node:child_process')", ['node:child_process']],
    ["nodeModule('node:child_process')", ['node:child_process']],
    ["import { rename as move, readFile } from 'node:fs/promises'", ['rename']],
    ["import { type Stats, chmodSync } from 'node:fs'", ['chmodSync']],
    ["import * as path from 'node:path'", ['node:path']],
    ["import { join, sep } from 'node:path'", ['sep']],
    ["process.once('SIGUSR2', () => {})", ['SIGUSR2']],
    ['if (process.platform === "win32") f()', ['platform']],
    ['const { platform } = process', ['platform']],
    ['process.kill(1)', ['kill']],
    ['new URL("a b", import.meta.url).pathname', ['pathname of a file']],
    ["open('/dev/stdin')", ['/dev/stdin']],
    ["open('/tmp/x')", ['/tmp/x']],
    ["import { join } from 'node:path' // process.kill, 'SIGINT'", []],
    ['const help = "exits at SIGINT or SIGTERM"; const { pathname } = new URL(url)', []],
  ])('of %s finds %j', (code, uses) => {
    expect(usesOf('a.ts', code)).toEqual(uses.map((use) => `a.ts: ${use}`))
  })
})

/** What a file uses that differs between systems: `FILE: NAME`. */
function usesOf(file: string, text: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    found.push(...usesIn(node).map((use) => `${file}: ${use}`))
    ts.forEachChild(node, visit)
  }
  visit(syntaxOf(file, text))
  return found
}

function usesIn(node: ts.Node): string[] {
  if (ts.isImportDeclaration(node)) return importedBy(node)
  if (ts.isStringLiteralLike(node) && !ts.isImportDeclaration(node.parent)) return textUses(node.text)
  if (ts.isPropertyAccessExpression(node)) return propertyUses(node.expression.getText(), node.name.text)
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name)) {
    const from = node.initializer?.getText() ?? ''
    return node.name.elements.flatMap(({ propertyName, name }) => propertyUses(from, (propertyName ?? name).getText()))
  }
  return []
}

function importedBy({ moduleSpecifier, importClause }: ts.ImportDeclaration): string[] {
  const [, module = ''] = /^node:(\w+)(?:\/promises)?$/.exec((moduleSpecifier as ts.StringLiteral).text) ?? []
  const pattern = NAMES[module]
  if (pattern === undefined || importClause?.isTypeOnly === true) return []
  const names = importClause?.namedBindings
  if (names === undefined || !ts.isNamedImports(names)) return [`node:${module}`]
  return names.elements.flatMap(({ propertyName, name, isTypeOnly }) => {
    const imported = (propertyName ?? name).text
    return !isTypeOnly && pattern.test(imported) ? [imported] : []
  })
}

/** Signals, modules that are loaded by name, and places of one system. */
function textUses(text: string): string[] {
  return /^(?:SIG[A-Z\d]+|node:child_process|\/(?:dev|tmp)(?:\/.*)?)$/.test(text) ? [text] : []
}

function propertyUses(from: string, name: string): string[] {
  if (from === 'process') return /^(?:platform|kill)$/.test(name) ? [name] : []
  return name === 'pathname' && from.includes('import.meta.url') ? ['pathname of a file'] : []
}
