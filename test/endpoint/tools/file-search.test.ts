import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FileSearchCallItem } from '../../../src/core/responses/items.js'
import { type FileSearchOptions, type FileSearchResult, fileSearch } from '../../../src/endpoint/tools/file-search.js'
import type { ToolContext } from '../../../src/endpoint/tools/tool.js'
import { runs } from '../../support/runs.js'

const CALL: FileSearchCallItem = {
  type: 'file_search_call',
  id: 'fs_1',
  status: 'searching',
  queries: ['otters'],
  results: null,
}
const found = (...texts: string[]): FileSearchResult[] =>
  texts.map((text, index) => ({ file_id: `file-${index}`, filename: 'a.md', text }))

function context(tool: object = {}): ToolContext {
  const request = { tools: [{ type: 'file_search' as const, vector_store_ids: ['vs_1'], ...tool }] }
  const none = { text: '', earlierResults: () => [], before: [], report() {}, insert: () => false }
  return { request, signal: new AbortController().signal, ...none }
}

/** The tool's answer, if the host found these. */
const run = (results: unknown, tool: object = {}, options: FileSearchOptions = {}, queries: string[] = ['otters']) =>
  fileSearch(() => results as FileSearchResult[], options).run({ ...CALL, queries }, context(tool))

describe('fileSearch', () => {
  test('fileSearch answers file searches, and no other call', () => {
    const { answers } = fileSearch(() => [])
    expect(answers(CALL)).toBe(true)
    expect(
      answers({ type: 'web_search_call', id: 'ws', status: 'searching', action: { type: 'search', query: '' } }),
    ).toBe(false)
  })

  test('a search may run again after its process has died', () => {
    expect(fileSearch(() => []).isRepeatable?.(CALL, context())).toBe(true)
  })

  test('a call without queries, and one with too many, is told to the model, and nothing is searched', async () => {
    const search = () => expect.unreachable()
    const { run } = fileSearch(search, { maxQueries: 2 })
    expect(await run({ ...CALL, queries: [] }, context())).toEqual({
      error: { message: 'no queries: give a list of texts as `queries`' },
    })
    expect(await run({ ...CALL, queries: ['a', 'b', 'c'] }, context())).toEqual({
      error: { message: 'too many queries: at most 2' },
    })
  })

  test('the results are as many as the request wants, or else as the host says', async () => {
    const results = found('a', 'b', 'c')
    expect(await run(results, { max_num_results: 1 }, { maxResults: 2 })).toEqual({ files: found('a') })
    expect(await run(results, {}, { maxResults: 2 })).toEqual({ files: found('a', 'b') })
  })

  test('the results below the threshold of the request are left out, and those without a score are not', async () => {
    const [good = {}, bad = {}, plain = {}] = found('a', 'b', 'c')
    const results = [{ ...good, score: 0.5 }, { ...bad, score: 0.4 }, plain]
    const tool = { ranking_options: { score_threshold: 0.5 } }
    expect(await run(results, tool)).toEqual({ files: [results[0], plain] })
  })

  test('the texts of all results are no longer together than the host allows, and no character is halved', async () => {
    const results = fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(results, fc.integer({ min: 1, max: 30 }), async (texts, maxTextLength) => {
        const { files = [] } = await run(found(...texts), {}, { maxTextLength })
        const kept = files.map(({ text }) => text)
        expect(kept.join('').length).toBeLessThanOrEqual(maxTextLength)
        expect(texts.join('').startsWith(kept.join(''))).toBe(true)
        expect(kept.join('')).not.toMatch(/[\ud800-\udbff]$/)
      }),
      { numRuns: runs(50) },
    )
  })

  test.each([
    ['otters', 'results: expected an array, got "otters"'],
    [[null], 'results[0].file_id: expected a string, got undefined'],
    [[{ ...found('a')[0], text: 1 }], 'results[0].text: expected a string, got 1'],
  ])('a search that gives %j is an error of the host', async (results, message) => {
    await expect(run(results)).rejects.toThrow(message)
  })

  test('an invalid search or limit is a bad option', () => {
    expect(() => fileSearch('otters' as never)).toThrow('search: expected a function, got "otters"')
    expect(() => fileSearch(() => [], { maxResults: 51 })).toThrow('maxResults: expected a whole number from 1 to 50')
  })
})
