import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { blocks } from './pages.js'
import { bundle, type Snippet, snippetOf, typeErrors } from './snippets.js'
import { world } from './world.js'

/** Snippets that are compiled but not run, by a piece of their text, and why. */
const COMPILED_ONLY: readonly { readonly has: string; readonly why: string }[] = [
  { has: 'responses.db', why: 'needs SQLite, which not every Node has: test/endpoint/stores/sqlite runs the store' },
  { has: 'gpt-oss-20b-mxfp4.gguf', why: 'loads a model: test/engine runs the adapter on the real llama.cpp' },
  {
    has: 'createServer(async (incoming, outgoing)',
    why: 'listens until it is stopped: test/docs/server.test.ts starts it',
  },
]

const snippets = blocks
  .filter(({ language }) => language === 'ts')
  .map((block) => snippetOf(block, Object.keys(world())))
const reasonOf = ({ block }: Snippet): string | undefined =>
  COMPILED_ONLY.find(({ has }) => block.code.includes(has))?.why

describe('the TypeScript of the pages', () => {
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

  test.each(snippets)('$name compiles in strict mode', (snippet) => {
    expect(errors.get(snippet)).toEqual([])
  })

  for (const snippet of snippets) {
    const reason = reasonOf(snippet)
    test.skipIf(reason !== undefined)(
      `${snippet.name} runs${reason === undefined ? '' : `: not here, as it ${reason}`}`,
      async () => {
        const log = vi.spyOn(console, 'log').mockImplementation(() => {})
        await import(/* @vite-ignore */ pathToFileURL(files.get(snippet.name) ?? '').href)
        // A line that prints one thing shows in a comment what it prints.
        const printed = [...snippet.block.code.matchAll(/^.*console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text]) => text)
        if (printed.length > 0) expect(log.mock.calls.map((values) => values.join(' '))).toContain(printed.at(-1))
        log.mockRestore()
      },
    )
  }

  test('every exception is about a snippet that is there', () => {
    for (const { has } of COMPILED_ONLY) expect(blocks.some(({ code }) => code.includes(has))).toBe(true)
  })
})
