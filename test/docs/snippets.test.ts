import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { blockOf } from './generated.js'
import { blocks, pageOf } from './pages.js'
import { reasonOf } from './runners.js'
import { bundle, type Snippet, snippetOf, typeErrors } from './snippets.js'
import { world } from './world.js'

const snippets = blocks
  .filter(({ language }) => language === 'ts')
  .map((block) => snippetOf(block, Object.keys(world())))

/** Why a snippet is compiled, but not run here. */
function omissionOf({ block }: Snippet): string | undefined {
  return reasonOf(block) ?? (block.mark && 'it has a test of its own')
}

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
        const log = vi.spyOn(console, 'log').mockImplementation(() => {})
        await import(/* @vite-ignore */ pathToFileURL(files.get(snippet.name) ?? '').href)
        // A line that prints one thing shows in a comment what it prints.
        const printed = [...snippet.block.code.matchAll(/^.*console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text]) => text)
        if (printed.length > 0) expect(log.mock.calls.map((values) => values.join(' '))).toContain(printed.at(-1))
        log.mockRestore()
      },
    )
  }
})
