import { describe, expect, test } from 'vitest'
import { urlCitations } from '../../../src/core/citations/index.js'
import { fileMark } from '../../../src/core/recipients/builtins/file-search.js'
import type { FileSearchResult } from '../../../src/core/responses/items.js'
import type { ResponseRequest } from '../../../src/index.js'
import { Translator } from '../../support/translator.js'
import { builtin } from '../recipients/tools.js'
import {
  brief,
  callTo,
  codes,
  createRun,
  FIXED,
  inTurn,
  messageOn,
  type Run,
  runOf,
  terminal,
} from '../translate/run.js'

const request: ResponseRequest = { tools: [builtin('file_search')], include: ['file_search_call.results'] }
const RESULTS = ['a.md', 'b.md'].map(
  (filename, index): FileSearchResult => ({ file_id: `file-${index}`, filename, text: 'x' }),
)

/** A run that has searched, and found these. */
function searched(files: readonly FileSearchResult[] = RESULTS, options: object = {}): Run {
  const run = createRun({ request, citations: urlCitations(), ...options })
  run.push(callTo('file_search.search', '{"queries":["otters"]}<|call|>'))
  run.toolResult({ itemId: 'fs_0', files })
  return run
}

/** The text and the annotations of an answer. */
function said(run: Run, text: string) {
  run.push(`<|start|>assistant${messageOn('final', `${text}<|return|>`)}`)
  run.end()
  const item = terminal(run.events).output.at(-1)
  return item?.type === 'message' ? [item.content[0]?.text, item.content[0]?.annotations] : []
}

describe('the events of a file search', () => {
  test('the events of a file search come in order; it is done when its result is there, not before', () => {
    const run = createRun({ request })
    run.start()
    expect(brief(run.push(callTo('file_search.search', '{"queries":["otters"]}<|call|>')))).toEqual([
      'output_item.added 0',
      'file_search_call.in_progress 0',
      'file_search_call.searching 0',
    ])
    expect(brief(run.toolResult({ itemId: 'fs_0', files: RESULTS }))).toEqual([
      'file_search_call.completed 0',
      'output_item.done 0 completed',
    ])
  })

  test.each([
    ['{"queries":["a","b"]}', ['a', 'b']],
    ['{"queries":"a"}', ['a']],
    ['{"query":"a"}', ['a']],
    ['["a","b"]', ['a', 'b']],
    ['otters', ['otters']],
  ])('the queries of %s are %j', (text, queries) => {
    const run = createRun({ request })
    run.push(callTo('file_search.search', `${text}<|call|>`))
    expect(run.translator.response.output).toMatchObject([{ status: 'searching', queries }])
  })

  test.each(['{"queries":[]}', '{"queries":[1]}', '{"queries":[" "]}', '{"queries":{"a":1}}', '{"queries":["a"'])(
    'a call with %s has no queries, and a diagnostic has the written arguments',
    (text) => {
      const run = createRun({ request })
      run.push(callTo('file_search.search', `${text}<|call|>`))
      expect(run.translator.response.output).toMatchObject([{ queries: [] }])
      expect(codes(run.diagnostics)).toContain('unreadable_arguments')
    },
  )

  test('the results have the fields of the API, and no other of the host', () => {
    const { translator } = searched([
      { ...RESULTS[0], score: 0.5, secret: 1 } as never,
      { ...RESULTS[1], score: Number.NaN } as never,
    ])
    expect(translator.response.output).toMatchObject([{ results: [{ ...RESULTS[0], score: 0.5 }, RESULTS[1]] }])
    expect(JSON.stringify(translator.response.output)).not.toContain('secret')
  })

  test.each([[{ files: 'a' }], [{ files: [{ file_id: 'a', filename: 'b' }] }], [{ files: [null] }]])(
    'the result %j is refused',
    (result) => {
      const run = createRun({ request })
      run.push(callTo('file_search.search', '{"queries":["otters"]}<|call|>'))
      expect(() => run.translator.toolResult({ itemId: 'fs_0', ...result } as never)).toThrow(
        expect.objectContaining({ code: 'bad_result' }),
      )
    },
  )
})

describe('the citations of files', () => {
  const [first, second] = [0, 1].map((index) => `【${fileMark('fs_0', index)}†a.md】`) as [string, string]
  const cite = (index: number, file = 0): object => ({
    ...{ type: 'file_citation', file_id: `file-${file}`, filename: RESULTS[file]?.filename, index },
  })

  test.each([
    [`Yes${first}.`, 'Yes.', [cite(3)]],
    [`${first}Yes`, 'Yes', [cite(0)]],
    [`🦦${first}${second}!`, '🦦!', [cite(1), cite(1, 1)]],
    [`a${first}b${second}`, 'ab', [cite(1), cite(2, 1)]],
    ['a【zzzzz:0†a.md】', 'a【zzzzz:0†a.md】', []],
    ['a【fs0:9†a.md】', 'a【fs0:9†a.md】', []],
    ['a【fs0', 'a【fs0', []],
  ])('%s is said as %s', (text, shown, annotations) => {
    expect(said(searched(), text)).toEqual([shown, annotations])
  })

  test('the mark of a file that an earlier search found is a citation too, also token by token', () => {
    const [mark, key] = ['【abc12:0†a.md】', 'abc12:0']
    const knownFiles = { [key]: { file_id: 'file-7', filename: 'a.md' } }
    const annotations = [{ type: 'file_citation', file_id: 'file-7', filename: 'a.md', index: 3 }]
    expect(said(createRun({ request, citations: urlCitations(), knownFiles }), `Yes${mark}.`)).toEqual([
      'Yes.',
      annotations,
    ])
    const run = searched(RESULTS, { knownFiles })
    run.push(`<|start|>assistant${messageOn('final', 'Yes【ab')}`)
    expect(brief(run.push('c12:0†a'))).toEqual([])
    expect(brief(run.push('.md】'))).toEqual(['output_text.annotation.added 1'])
    expect(said(searched(RESULTS, { knownFiles }), `Yes${mark}${first}`)[1]).toEqual([...annotations, cite(3)])
  })

  test('the index is of UTF-16 units if they are asked for', () => {
    const run = searched(RESULTS, { citations: urlCitations({ units: 'utf16' }) })
    expect(said(run, `🦦${first}`)).toEqual(['🦦', [cite(2)]])
  })

  test('a mark that comes token by token is held back until it is whole', () => {
    const run = searched()
    run.push(`<|start|>assistant${messageOn('final', 'a【fs')}`)
    expect(brief(run.push('0:', '0', '†a.md'))).toEqual([])
    expect(brief(run.push('】b'))).toEqual(['output_text.annotation.added 1', 'output_text.delta 1 "b"'])
  })

  test('marks stay as they are without a stage for citations, and without a search', () => {
    expect(said(searched(RESULTS, { citations: undefined }), `a${first}`)).toEqual([`a${first}`, []])
    const run = createRun({ request, citations: urlCitations() })
    run.push(inTurn(messageOn('final', `a${first}<|return|>`)))
    run.end()
    expect(terminal(run.events).output).toMatchObject([{ content: [{ text: `a${first}`, annotations: [] }] }])
  })

  test('a restored translator knows the files that were found before', () => {
    const snapshot = JSON.parse(JSON.stringify(searched().translator.snapshot()))
    const restored = runOf(Translator.restore(snapshot, { ...FIXED, citations: urlCitations() }))
    expect(said(restored, `Yes${first}.`)).toEqual(['Yes.', [cite(3)]])
  })
})
