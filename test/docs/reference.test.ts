import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './pages.js'
import { readReference } from './reference.js'
import { bundle, expectRuns, snippetOf, sources, typeErrors } from './snippets.js'
import { world } from './world.js'

const reference = readReference()
const nameOf = ({ name, path }: { name: string; path: string }): string => `${path} ${name}`

/** Examples that are compiled alone, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  createLlamaCppEngine: 'it needs a model',
  llamaCppSource: 'it needs a model',
  createSqliteStore: 'it needs SQLite, which Node 20 lacks',
  createPostgresStore: 'it needs a server',
  createRedisStore: 'it needs a server',
}

/** A module of the site's, which needs nothing that is installed there. */
const { MIRRORS } = (await import(/* @vite-ignore */ `${root}docs-site/mirrors.mjs`)) as {
  MIRRORS: Readonly<Record<string, string>>
}
const isMirror = (path: string): boolean => Object.keys(MIRRORS).some((folder) => path.startsWith(folder))

describe('the docstrings', () => {
  test.each(Object.entries(sources))('%s says what it is for', (_, path) => {
    expect(readFileSync(path, 'utf8')).toMatch(/^\/\*\*\n(?: \*.*\n)+ \* @packageDocumentation\n/)
  })

  test('every export has one', () => {
    expect(reference.filter(({ docstring }) => docstring === '').map(nameOf)).toEqual([])
  })

  test('every field of an exported type has one, or its member of a union has, unless it mirrors that of another API', () => {
    const fields = reference.flatMap(({ fields }) => fields).filter(({ path }) => !isMirror(path))
    expect(fields.filter(({ docstring }) => docstring === '').map(nameOf)).toEqual([])
  })

  test('every export has fields that mirror another API, where the site says so', () => {
    const found = new Set(reference.flatMap(({ fields }) => fields.map(({ path }) => path)))
    expect(Object.keys(MIRRORS).filter((folder) => ![...found].some((path) => path.startsWith(folder)))).toEqual([])
  })

  test('every function has an example', () => {
    const without = reference.filter(({ isFunction, examples }) => isFunction && examples.length === 0)
    expect(without.map(nameOf)).toEqual([])
  })

  test('every example is in the reference', () => {
    const marked = reference.filter(
      ({ docstring, examples }) => docstring.split('@example').length - 1 !== examples.length,
    )
    expect(marked.map(nameOf)).toEqual([])
  })

  test('every example that is not run belongs to an export', () => {
    expect(reference.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(NOT_RUN)))
  })
})

describe('the examples of the docstrings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'))
  const examples = reference.flatMap(({ name, examples }) =>
    examples.map((block) => ({ name, snippet: snippetOf(block, Object.keys(world())) })),
  )
  let errors = new Map<object, string[]>()
  let files = new Map<string, string>()

  beforeAll(async () => {
    fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 20, endOnFailure: true })
    errors = typeErrors(examples.map(({ snippet }) => snippet))
    files = await bundle(Object.fromEntries(examples.map(({ snippet }) => [snippet.name, snippet.module])), folder)
  })
  afterAll(() => {
    fc.resetConfigureGlobal()
    rmSync(folder, { recursive: true })
  })

  test.each(examples)('that of $name compiles in strict mode', ({ snippet }) => {
    expect(errors.get(snippet)).toEqual([])
  })

  for (const { name, snippet } of examples) {
    const reason = NOT_RUN[name]
    test.skipIf(reason !== undefined)(
      `that of ${name} runs${reason === undefined ? '' : `: not here: ${reason}`}`,
      () => expectRuns(snippet, files.get(snippet.name) ?? ''),
    )
  }
})
