import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { programs } from '../programs/programs.js'
import { lockedVersion } from '../support/locked-versions.js'
import { blockOf, expectGenerated } from './generated.js'
import { pageOf, root } from './pages.js'
import { CLIENT_TABLES, type ClientTable, NO_CLIENTS } from './tested-clients.js'

const PAGE = 'docs/clients.md'

/** The cells of a table's lines. */
const cellsOf = (line: string): string[] => line.slice(2, -2).split(' | ')

/** The block of a table on the page, with the versions and tests of its clients. */
function withVersions({ block, clients }: ClientTable): string {
  const [head = '', rule = '', ...rows] = blockOf(pageOf(PAGE), block).own.split('\n')
  expect(rows.map((row) => cellsOf(row)[0])).toEqual(clients.map(({ name }) => name))
  const written = clients.map(({ version, tests }, at) => {
    const [name, , ...rest] = cellsOf(rows[at] ?? '')
    const shownBy = tests.map((file) => `\`${file}\``).join(', ')
    return `| ${[name, version, ...rest.slice(0, -1), shownBy].join(' | ')} |`
  })
  return [head, rule, ...written].join('\n')
}

test.each(CLIENT_TABLES)('the table of $block has the versions that are installed, and their tests', (table) => {
  expectGenerated(PAGE, table.block, withVersions(table))
})

/** The text of a test of test/clients, and of what it imports there. */
function withImports(file: string, read: Set<string> = new Set()): string {
  if (read.has(file)) return ''
  read.add(file)
  const text = readFileSync(root + file, 'utf8')
  const imported = [...text.matchAll(/from '(\.\.?\/[\w./-]+)\.js'/g)]
    .map(([, path = '']) => `${posix.join(posix.dirname(file), path)}.ts`)
    .filter((path) => path.startsWith('test/clients/') && existsSync(root + path))
  return [text, ...imported.map((path) => withImports(path, read))].join('\n')
}

describe.each(CLIENT_TABLES.filter(({ block }) => block !== 'python clients'))('the tests of $block', (table) => {
  test.each(table.clients)('each test of $name imports it', ({ packages: [name = ''], tests }) => {
    // A program's package has its platform in its name, and its file may be named by a path.
    const named = new RegExp(`(?:['\`]|node_modules/)${name.replace(/-linux-x64$/, '')}['\`/-]`)
    for (const file of tests) expect(withImports(table.folder + file), file).toMatch(named)
  })
})

test('every client that a test project installs is in a table', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(`${root}test/clients/package.json`, 'utf8'))
  const listed = CLIENT_TABLES.flatMap(({ clients }) => clients.flatMap(({ packages }) => packages))
  const installed = Object.keys({ ...dependencies, ...optionalDependencies })
  expect(installed.filter((name) => !listed.includes(name)).sort()).toEqual(Object.keys(NO_CLIENTS).sort())
})

test('every client in Python that has requirements is in the table, and its test is there', () => {
  const { clients = [], folder = '' } = CLIENT_TABLES.find(({ block }) => block === 'python clients') ?? {}
  expect(clients).toHaveLength(readdirSync(`${root}test/clients/python/requirements`).length)
  for (const { tests } of clients) for (const file of tests) expect(existsSync(root + folder + file), file).toBe(true)
})

test('the table of programs has the versions that are installed', () => {
  const { own } = blockOf(pageOf(PAGE), 'programs')
  for (const { name, package: installed } of programs) {
    expect(own).toContain(`| ${name} | ${lockedVersion('test/programs', installed)} |`)
  }
})

test('no version of a client is written by hand', () => {
  const blocks = [...CLIENT_TABLES.map(({ block }) => block), 'client marks', 'clients', 'programs']
  const byHand = blocks.reduce((text, block) => {
    const { before, after } = blockOf(text, block)
    return before + after
  }, pageOf(PAGE))
  const names = CLIENT_TABLES.flatMap(({ clients }) => clients.flatMap(({ name, packages }) => [name, ...packages]))
  for (const name of new Set([...names, 'Codex'])) {
    const found = byHand.split('\n').filter((line) => new RegExp(String.raw`${name}\`? v?\d+\.\d`).test(line))
    expect(found, name).toEqual([])
  }
})
