import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeSlow } from '../support/slow-suites.js'
import { blockOf } from './generated.js'
import { blocks, pageOf } from './pages.js'
import { readReference } from './reference.js'
import { reasonOf } from './runners.js'
import { bundle, expectRuns, type Snippet, snippetOf, typeErrors } from './snippets.js'
import { world } from './world.js'

/** Examples that are compiled alone, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  createLlamaCppEngine: 'it needs a model',
  llamaCppSource: 'it needs a model',
  createSqliteStore: 'it needs SQLite, which Node 20 lacks',
  createPostgresStore: 'it needs a server',
  createRedisStore: 'it needs a server',
}

const reference = readReference()
const names = Object.keys(world())

/** By the exports that they belong to. */
const examples = new Map(
  reference.flatMap(({ name, examples }) => examples.map((block) => [snippetOf(block, names), name] as const)),
)

/** Of pages and of docstrings together: the compiler reads all sources for them, which takes the longest. */
const snippets = [
  ...blocks.filter(({ language }) => language === 'ts').map((block) => snippetOf(block, names)),
  ...examples.keys(),
]

/** Why a snippet is compiled, but not run here. */
function omissionOf(snippet: Snippet): string | undefined {
  const owner = examples.get(snippet)
  if (owner !== undefined) return NOT_RUN[owner]
  return reasonOf(snippet.block) ?? (snippet.block.mark && 'it has a test of its own')
}

test('every example that is not run belongs to an export', () => {
  expect(reference.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(NOT_RUN)))
})

describeSlow('the TypeScript of the pages, and the examples of the docstrings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
  let errors = new Map<Snippet, string[]>()
  let files = new Map<string, string>()

  beforeAll(async () => {
    // A snippet shows how a property is written; that it holds is tested elsewhere.
    // Shrinking a source that hangs would take longer than the test may.
    fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 20, endOnFailure: true })
    errors = typeErrors(snippets)
    files = await bundle(Object.fromEntries(snippets.map(({ name, module }) => [name, module])), folder)
  })
  afterAll(() => {
    fc.resetConfigureGlobal()
    rmSync(folder, { recursive: true })
  })

  test('docs/README.md names what snippets take for granted', () => {
    const { own } = blockOf(pageOf('docs/README.md'), 'world')
    const named = Array.from(own.matchAll(/`(\w+)`/g), ([, name]) => name)
    expect(named.toSorted()).toEqual(Object.keys(world()).toSorted())
  })

  test.each(snippets)('$name compiles in strict mode', (snippet) => {
    expect(errors.get(snippet)).toEqual([])
  })

  for (const snippet of snippets) {
    const reason = omissionOf(snippet)
    test.skipIf(reason !== undefined)(
      `${snippet.name} runs${reason === undefined ? '' : `: not here: ${reason}`}`,
      async () => {
        await expectRuns(snippet, files.get(snippet.name) ?? '')
      },
    )
  }
})
