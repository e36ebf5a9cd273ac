import { describe, expect, test } from 'vitest'
import type { ToolResult } from '../../../src/core/items/parts/tool-result.js'
import type { ResponseRequest, ResponseStreamEvent } from '../../../src/index.js'
import { Translator } from '../../support/translator.js'
import { builtin, fn } from '../recipients/tools.js'
import {
  brief,
  briefOutput,
  callTo,
  codes,
  createRun,
  FIXED,
  inTurn,
  messageOn,
  type Run,
  terminal,
  toolMessage,
} from '../translate/run.js'

const OF_ITEM = { item_id: 'ws_0', output_index: 0 }
const request: ResponseRequest = { tools: [builtin('web_search')] }
const withSources: ResponseRequest = { ...request, include: ['web_search_call.action.sources'] }
const DONE = (index: number): string[] => [`web_search_call.completed ${index}`, `output_item.done ${index} completed`]

/** A page as gpt-oss's browser shows it. */
function shown(cursor: number, url: string, title = 'Title'): string {
  const address = url === '' ? '' : ` (${url})`
  return `[${cursor}] ${title}${address}\n**viewing lines [0 - 9] of 20**\n\nL0: first\nL1: second`
}

/** The first call of a response, or a later one. */
function call(run: Run, recipient: string, text: string): ResponseStreamEvent[] {
  const isFirst = run.translator.response.output.length === 0
  return run.push(`${isFirst ? '' : '<|start|>assistant'}${callTo(recipient, `${text}<|call|>`)}`)
}

/** The action of the last item. */
function action(run: Run): unknown {
  const item = run.translator.response.output.at(-1)
  return item !== undefined && 'action' in item ? item.action : undefined
}

/** A run in which the browser has shown these pages, under the cursors 0, 1, 2, ... */
function browsing(...urls: string[]): Run {
  const run = createRun({ request })
  for (const [cursor, url] of urls.entries()) {
    call(run, 'browser.open', JSON.stringify({ id: url }))
    run.answer('browser.open', shown(cursor, url))
  }
  return run
}

describe('the events of a web search', () => {
  test('the events of a web search come in order and whole; it is done when its result is there, not before', () => {
    const added = { type: 'web_search_call', id: 'ws_0', status: 'in_progress', action: { type: 'search', query: '' } }
    const run = createRun({ request })
    run.start()
    expect(run.push(callTo('browser.search', '{"query":'))).toEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: added },
      { type: 'response.web_search_call.in_progress', sequence_number: 3, ...OF_ITEM },
    ])
    expect(run.push('"gpt', '-oss"}')).toEqual([])
    expect(run.translator.response.output).toEqual([added])
    expect(run.push('<|call|>')).toEqual([
      { type: 'response.web_search_call.searching', sequence_number: 4, ...OF_ITEM },
    ])
    const searching = { ...added, status: 'searching', action: { type: 'search', query: 'gpt-oss' } }
    expect(run.translator.response.output).toEqual([searching])
    const done = { ...searching, status: 'completed' }
    expect(run.answer('browser.search', shown(0, '', 'gpt-oss'))).toEqual([
      { type: 'response.web_search_call.completed', sequence_number: 5, ...OF_ITEM },
      { type: 'response.output_item.done', sequence_number: 6, output_index: 0, item: done },
    ])
    expect(terminal(run.end()).output).toEqual([done])
    expect(run.diagnostics).toEqual([])
  })

  test.each([
    ['browser.search', '{"query":"q"}', { type: 'search', query: '' }, { type: 'search', query: 'q' }],
    [
      'browser.open',
      '{"id":"https://example.com/a"}',
      { type: 'open_page', url: '' },
      { type: 'open_page', url: 'https://example.com/a' },
    ],
    [
      'browser.find',
      '{"pattern":"p"}',
      { type: 'find_in_page', pattern: '', url: '' },
      { type: 'find_in_page', pattern: 'p', url: '' },
    ],
  ])('a call of %s has the events of a web search, with an action of its own', (recipient, text, empty, whole) => {
    const run = createRun({ request })
    run.start()
    const events = [...call(run, recipient, text), ...run.answer(recipient, 'done')]
    expect(brief(events)).toEqual([
      'output_item.added 0',
      'web_search_call.in_progress 0',
      'web_search_call.searching 0',
      ...DONE(0),
    ])
    expect(events[0]).toMatchObject({ item: { action: empty } })
    expect(events.at(-1)).toMatchObject({ item: { action: whole } })
  })

  test.each(['web_search', 'web_search_preview', 'web_search_2025_08_26', 'web_search_preview_2025_03_11'])(
    'the events of a web search come if the request declares %s',
    (type) => {
      const run = createRun({ request: { tools: [builtin(type)] } })
      call(run, 'browser.search', '{"query":"q"}')
      expect(briefOutput(run.translator.response)).toEqual(['web_search_call searching {"type":"search","query":"q"}'])
    },
  )

  test.each<[string, ResponseRequest['tools']]>([
    ['nothing', []],
    ['another tool', [fn('search'), builtin('code_interpreter')]],
    ['an unknown type', [builtin('web_search_next'), builtin('file_search')]],
  ])('the events of a web search do not come if the request declares %s', (_, tools) => {
    const run = createRun({ request: { tools: tools ?? [] } })
    call(run, 'browser.search', '{"query":"q"}')
    expect(run.translator.response.output).toMatchObject([{ type: 'function_call' }])
  })

  test('a browser function that does not exist has no web search events', () => {
    const run = createRun({ request })
    call(run, 'browser.click', '{"query":"q"}')
    expect(run.translator.response.output).toMatchObject([{ type: 'function_call' }])
  })

  test('the events of a web search do not depend on how the calls of clients are announced', () => {
    const run = createRun({ request, calls: 'whole' })
    run.start()
    expect(brief(run.push(callTo('browser.search', '{')))).toEqual([
      'output_item.added 0',
      'web_search_call.in_progress 0',
    ])
  })

  test('the events of a web search are the same for a call in the analysis channel', () => {
    const run = createRun({ request })
    run.start()
    const events = run.push('<|channel|>analysis to=browser.search code<|message|>{"query":"q"}<|call|>')
    expect(brief(events)).toEqual([
      'output_item.added 0',
      'web_search_call.in_progress 0',
      'web_search_call.searching 0',
    ])
  })
})

describe('a call that does not succeed', () => {
  test('a web search that fails has no event of its own for that, because the API has none', () => {
    const run = createRun({ request })
    call(run, 'browser.search', '{"query":"q"}')
    const events = run.toolResult({ itemId: 'ws_0', error: { message: 'no network' } })
    expect(brief(events)).toEqual(['output_item.done 0 failed'])
    const failed = { type: 'web_search_call', id: 'ws_0', status: 'failed', action: { type: 'search', query: 'q' } }
    expect(events[0]).toMatchObject({ item: failed })
    const response = terminal(run.end())
    expect(response.output).toEqual([failed])
    expect(response.status).toBe('completed')
  })

  test('a web search without a result is incomplete at the end, with no .completed; the response is complete', () => {
    const run = createRun({ request })
    call(run, 'browser.search', '{"query":"q"}')
    const events = run.end()
    expect(brief(events)).toEqual(['output_item.done 0 incomplete', 'completed'])
    expect(events[0]).toMatchObject({ item: { status: 'incomplete', action: { type: 'search', query: 'q' } } })
    expect(run.diagnostics).toMatchObject([{ code: 'missing_result', subject: 'ws_0' }])
  })

  test('a web search that was cut off in its arguments is incomplete: it never searched', () => {
    const run = createRun({ request })
    run.push(callTo('browser.search', '{"query":"what is'))
    const events = run.end()
    expect(brief(events)).toEqual(['output_item.done 0 incomplete', 'incomplete'])
    expect(events[0]).toMatchObject({ item: { status: 'incomplete', action: { type: 'search', query: '' } } })
    expect(run.diagnostics).toEqual([
      { code: 'unreadable_arguments', subject: 'web_search_call', index: 0, text: '{"query":"what is' },
    ])
  })

  test('a web search that was cut off right after whole arguments is incomplete, and shows them', () => {
    const run = createRun({ request })
    run.push(callTo('browser.search', '{"query":"q"}'))
    const events = run.end()
    expect(brief(events)).toEqual(['output_item.done 0 incomplete', 'incomplete'])
    expect(events[0]).toMatchObject({ item: { status: 'incomplete', action: { type: 'search', query: 'q' } } })
    expect(run.diagnostics).toEqual([])
  })

  test('a web search begins at a stop if its <|call|> was swallowed', () => {
    const run = createRun({ request })
    run.push(callTo('browser.search', '{"query":"q"}'))
    expect(brief(run.end('stop'))).toEqual([
      'web_search_call.searching 0',
      'output_item.done 0 incomplete',
      'completed',
    ])
  })

  test.each<[string, (run: Run) => ResponseStreamEvent[]]>([
    ['the engine fails', (run) => run.fail({ message: 'no GPU' })],
    ['the client leaves', (run) => run.abort()],
  ])('a web search stands incomplete if %s in its arguments, and they are reported', (_, stop) => {
    const run = createRun({ request })
    run.push(callTo('browser.search', '{"query":"q"}'))
    const events = stop(run)
    expect(events.map(({ type }) => type)).not.toContain('response.output_item.done')
    expect(briefOutput(terminal(events))).toEqual(['web_search_call incomplete {"type":"search","query":""}'])
    expect(run.diagnostics).toMatchObject([{ code: 'call_cut_off', subject: 'web_search_call', text: '{"query":"q"}' }])
  })

  test('a web search stands incomplete if the engine fails while it waits, with its action', () => {
    const run = createRun({ request })
    call(run, 'browser.search', '{"query":"q"}')
    const events = run.fail({ message: 'no GPU' })
    expect(brief(events)).toEqual(['error', 'failed'])
    expect(briefOutput(terminal(events))).toEqual(['web_search_call incomplete {"type":"search","query":"q"}'])
    expect(run.diagnostics).toEqual([])
  })
})

describe('its arguments', () => {
  test.each([
    ['JSON with white space', 'browser.search', ' {"query": "a b"}\n', { type: 'search', query: 'a b' }],
    [
      'JSON with more in it',
      'browser.search',
      '{"query":"q","topn":5,"source":"news"}',
      { type: 'search', query: 'q' },
    ],
    ['an empty query', 'browser.search', '{"query":""}', { type: 'search', query: '' }],
    ['free text', 'browser.search', 'what is gpt-oss?', { type: 'search', query: 'what is gpt-oss?' }],
    ['free text with white space', 'browser.search', ' a\nb ', { type: 'search', query: ' a\nb ' }],
    ['a JSON string', 'browser.search', '"what is \\"x\\"?"', { type: 'search', query: 'what is "x"?' }],
    ['an address', 'browser.open', 'https://example.com/a', { type: 'open_page', url: 'https://example.com/a' }],
    ['a word', 'browser.find', 'needle', { type: 'find_in_page', pattern: 'needle', url: '' }],
    ['characters of any script', 'browser.search', '{"query":"見出し 🫠"}', { type: 'search', query: '見出し 🫠' }],
  ])('the arguments of a web search that are %s are understood', (_, recipient, text, expected) => {
    const run = createRun({ request })
    call(run, recipient, text)
    expect(action(run)).toEqual(expected)
    expect(run.diagnostics).toEqual([])
  })

  const SILENT = {
    'browser.search': { type: 'search', query: '' },
    'browser.open': { type: 'open_page', url: '' },
    'browser.find': { type: 'find_in_page', pattern: '', url: '' },
  } as const

  test.each([
    ['cut JSON', 'browser.search', '{"query":"what'],
    ['JSON with something after it', 'browser.search', '{"query":"q"} please'],
    ['a cut list', 'browser.search', '["what'],
    ['a number', 'browser.search', '2024'],
    ['a word of JSON', 'browser.search', 'true'],
    ['null', 'browser.search', 'null'],
    ['a list', 'browser.search', '["a","b"]'],
    ['an empty list', 'browser.search', '[]'],
    ['an object without the field', 'browser.search', '{"q":"x"}'],
    ['an empty object', 'browser.search', '{}'],
    ['a query that is a number', 'browser.search', '{"query":2024}'],
    ['a query that is a list', 'browser.search', '{"query":["a","b"]}'],
    ['a query that is null', 'browser.search', '{"query":null}'],
    ['white space', 'browser.search', ' \n'],
    ['cut JSON', 'browser.open', '{"id":"https://exa'],
    ['a number', 'browser.open', '3'],
    ['a list', 'browser.open', '["https://example.com"]'],
    ['an object without a field', 'browser.open', '{"url":"https://example.com"}'],
    ['an id that is an object', 'browser.open', '{"id":{"url":"https://example.com"}}'],
    ['cut JSON', 'browser.find', '{"pattern":"x'],
    ['a list', 'browser.find', '["x"]'],
    ['an object without the field', 'browser.find', '{"query":"x"}'],
    ['a pattern that is a number', 'browser.find', '{"pattern":2024}'],
  ] as const)(
    'the arguments of a web search that are %s for %s (%s) give an item without them, and a diagnostic with the text',
    (_, recipient, text) => {
      const run = createRun({ request })
      call(run, recipient, text)
      expect(action(run)).toEqual(SILENT[recipient])
      expect(run.diagnostics).toEqual([{ code: 'unreadable_arguments', subject: 'web_search_call', index: 0, text }])
      run.answer(recipient, 'Invalid function arguments')
      expect(run.translator.response.output).toMatchObject([{ status: 'completed', action: SILENT[recipient] }])
    },
  )

  test('the arguments of a web search that are empty give an item without them, and a diagnostic without a text', () => {
    const run = createRun({ request })
    call(run, 'browser.search', '')
    expect(action(run)).toEqual({ type: 'search', query: '' })
    expect(run.diagnostics).toEqual([{ code: 'unreadable_arguments', subject: 'web_search_call', index: 0 }])
  })

  test.each([
    ['browser.open', '{"id":"https://exa', { type: 'open_page', url: '' }],
    ['browser.open', '{"id"', { type: 'open_page', url: '' }],
    ['browser.open', '3', { type: 'open_page', url: '' }],
    ['browser.find', '{"pattern":"x","cursor":0', { type: 'find_in_page', pattern: '', url: '' }],
  ])(
    'the arguments of a web search that cannot be read (%s %s) do not affect the page that is shown',
    (recipient, text, expected) => {
      const run = browsing('https://a.com', 'https://b.com')
      call(run, recipient, text)
      expect(action(run)).toEqual(expected)
      expect(codes(run.diagnostics)).toEqual(['unreadable_arguments'])
    },
  )

  test('the arguments of a web search are shown in no event but the last of the item, and in no delta', () => {
    const run = createRun({ request })
    call(run, 'browser.search', '{"query":"needle"}')
    run.answer('browser.search', 'found')
    run.end()
    const carriers = run.events.filter((event) => JSON.stringify(event).includes('needle')).map(({ type }) => type)
    expect(carriers).toEqual(['response.output_item.done', 'response.completed'])
    expect(run.events.filter((event) => 'delta' in event)).toEqual([])
  })
})

describe('the page that is opened', () => {
  test('the page that is opened by the number of a link is the one that the answer shows', () => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"id":3}')
    expect(action(run)).toEqual({ type: 'open_page', url: '' })
    run.answer('browser.open', shown(1, 'https://example.com/x'))
    expect(action(run)).toEqual({ type: 'open_page', url: 'https://example.com/x' })
    expect(run.diagnostics).toEqual([])
  })

  test.each(['{"id":0}', '{"id":0,"cursor":0}', '{"cursor":1,"id":7,"loc":4}'])(
    'the page that is opened by a link (%s) is not the page that has the link',
    (text) => {
      const run = browsing('https://a.com', 'https://b.com')
      call(run, 'browser.open', text)
      expect(action(run)).toEqual({ type: 'open_page', url: '' })
      run.answer('browser.open', shown(2, 'https://c.com'))
      expect(action(run)).toEqual({ type: 'open_page', url: 'https://c.com' })
    },
  )

  test('the page that is opened by the number of a link stays unknown if the result does not name it', () => {
    const run = browsing('https://a.com')
    call(run, 'browser.open', '{"id":99}')
    run.answer('browser.open', 'Invalid link id `99`.')
    expect(action(run)).toEqual({ type: 'open_page', url: '' })
  })

  test('the page that is opened by its address is that one, whatever the answer shows', () => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"id":"https://example.com/old"}')
    run.answer('browser.open', shown(1, 'https://example.com/new'))
    expect(action(run)).toEqual({ type: 'open_page', url: 'https://example.com/old' })
  })

  test.each([
    ['{"loc":20}', 'https://b.com'],
    ['{"id":-1,"loc":20}', 'https://b.com'],
    ['{"cursor":-1,"loc":20}', 'https://b.com'],
    ['{"cursor":1,"loc":20}', 'https://b.com'],
    ['{"cursor":0,"loc":20}', 'https://a.com'],
    ['{"id":-1,"cursor":0}', 'https://a.com'],
    ['{"cursor":0}', 'https://a.com'],
    ['{"cursor":7}', ''],
  ])('the page that is opened by scrolling (%s) is the one that is shown: %j', (text, url) => {
    const run = browsing('https://a.com', 'https://b.com')
    call(run, 'browser.open', text)
    expect(action(run)).toEqual({ type: 'open_page', url })
    expect(run.diagnostics).toEqual([])
  })

  test('the page that is opened by scrolling is unknown if none is shown, until the result names it', () => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"loc":20}')
    expect(action(run)).toEqual({ type: 'open_page', url: '' })
    run.answer('browser.open', shown(0, 'https://a.com'))
    expect(action(run)).toEqual({ type: 'open_page', url: 'https://a.com' })
  })

  test('scrolling search results opens no page, because they have no address', () => {
    const run = browsing('https://a.com')
    call(run, 'browser.search', '{"query":"q"}')
    run.answer('browser.search', shown(1, '', 'q'))
    call(run, 'browser.open', '{"loc":20}')
    expect(action(run)).toEqual({ type: 'open_page', url: '' })
  })

  test('an error instead of a page leaves the page before as the one that is shown', () => {
    const run = browsing('https://a.com')
    call(run, 'browser.open', '{"id":"https://b.com"}')
    run.answer('browser.open', 'Error fetching URL `https://b.com`: timed out')
    call(run, 'browser.find', '{"pattern":"x"}')
    expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'x', url: 'https://a.com' })
  })
})

describe('the page in which something is looked for', () => {
  test.each([
    ['', 'https://b.com'],
    [',"cursor":-1', 'https://b.com'],
    [',"cursor":0', 'https://a.com'],
    [',"cursor":1', 'https://b.com'],
    [',"cursor":7', ''],
  ])(
    'the page in which something is looked for is the one at the cursor, or the one shown last (%s)',
    (cursor, url) => {
      const run = browsing('https://a.com', 'https://b.com')
      call(run, 'browser.find', `{"pattern":"x"${cursor}}`)
      expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'x', url })
    },
  )

  test('the page in which something is looked for is the same when the result is there', () => {
    const run = browsing('https://a.com')
    call(run, 'browser.find', '{"pattern":"x"}')
    run.answer('browser.find', shown(1, 'https://a.com/find?pattern=x', 'Find results for text: `x` in `Title`'))
    expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'x', url: 'https://a.com' })
  })

  test('free text is looked for in the page that was shown last', () => {
    const run = browsing('https://a.com')
    call(run, 'browser.find', 'needle')
    expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'needle', url: 'https://a.com' })
  })
})

describe('its sources', () => {
  const sources = [{ url: 'https://a.com/1' }, { url: 'https://b.com/2' }]
  const FOUND = sources.map(({ url }) => ({ type: 'url', url }))

  test('the sources of a web search are shown if the request includes them, when the result is there', () => {
    const run = createRun({ request: withSources })
    call(run, 'browser.search', '{"query":"q"}')
    expect(action(run)).toEqual({ type: 'search', query: 'q' })
    run.toolResult({ itemId: 'ws_0', sources })
    expect(action(run)).toEqual({ type: 'search', query: 'q', sources: FOUND })
    expect(run.events.at(-1)).toMatchObject({ item: { action: { sources: FOUND } } })
  })

  test.each<[string, ResponseRequest]>([
    ['nothing', request],
    ['something else', { ...request, include: ['code_interpreter_call.outputs'] }],
  ])('the sources of a web search are not shown if the request includes %s', (_, asked) => {
    const run = createRun({ request: asked })
    call(run, 'browser.search', '{"query":"q"}')
    run.toolResult({ itemId: 'ws_0', sources })
    expect(action(run)).toEqual({ type: 'search', query: 'q' })
  })

  test('a web search has no sources if the result does not give any', () => {
    const run = createRun({ request: withSources })
    call(run, 'browser.search', '{"query":"q"}')
    run.answer('browser.search', 'found')
    expect(action(run)).toEqual({ type: 'search', query: 'q', sources: [] })
  })

  test('the sources of a web search have nothing but an address', () => {
    const run = createRun({ request: withSources })
    call(run, 'browser.search', '{"query":"q"}')
    run.toolResult({ itemId: 'ws_0', sources: [{ url: 'https://a.com', title: 'A', type: 'page' } as { url: string }] })
    expect(action(run)).toEqual({ type: 'search', query: 'q', sources: [{ type: 'url', url: 'https://a.com' }] })
  })

  test.each([
    ['browser.open', '{"id":"https://a.com"}', { type: 'open_page', url: 'https://a.com' }],
    ['browser.find', '{"pattern":"x"}', { type: 'find_in_page', pattern: 'x', url: '' }],
  ])('a call of %s, which searches nothing, has no sources', (recipient, text, expected) => {
    const run = createRun({ request: withSources })
    call(run, recipient, text)
    run.toolResult({ itemId: 'ws_0', sources })
    expect(action(run)).toEqual(expected)
  })

  test('the sources of a web search are copies: later changes by the host have no effect', () => {
    const run = createRun({ request: withSources })
    call(run, 'browser.search', '{"query":"q"}')
    const given = [{ url: 'https://a.com' }]
    run.toolResult({ itemId: 'ws_0', sources: given })
    given[0] = { url: 'https://b.com' }
    given.push({ url: 'https://c.com' })
    expect(action(run)).toMatchObject({ sources: [{ url: 'https://a.com' }] })
  })

  test('changes to an event by its receiver do not affect later ones', () => {
    const translator = new Translator({ ...FIXED, request: withSources })
    translator.push(callTo('browser.search', '{"query":"q"}<|call|>'))
    const done = translator.toolResult({ itemId: 'ws_0', sources }).at(-1)
    if (done?.type !== 'response.output_item.done' || done.item.type !== 'web_search_call') throw new Error('not done')
    if (done.item.action.type === 'search') done.item.action.sources?.splice(0)
    expect(terminal(translator.end()).output).toMatchObject([{ action: { query: 'q', sources: FOUND } }])
  })
})

describe('its result', () => {
  const pages = [
    { cursor: 4, url: 'https://a.com', title: 'A' },
    { cursor: 5, url: 'https://b.com' },
  ]

  test('the result of a web search may be the pages that were shown: the last is the one that a link led to', () => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"id":3}')
    expect(brief(run.toolResult({ itemId: 'ws_0', pages }))).toEqual(DONE(0))
    expect(action(run)).toEqual({ type: 'open_page', url: 'https://b.com' })
  })

  test.each([
    ['', 'https://b.com'],
    [',"cursor":4', 'https://a.com'],
    [',"cursor":5', 'https://b.com'],
    [',"cursor":0', ''],
  ])('the pages of a result are those that later calls mean (%s)', (cursor, url) => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"id":3}')
    run.toolResult({ itemId: 'ws_0', pages })
    call(run, 'browser.find', `{"pattern":"x"${cursor}}`)
    expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'x', url })
  })

  test('the pages of a result count, and not the text beside them', () => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"id":3}')
    run.toolResult({ itemId: 'ws_0', pages, output: shown(9, 'https://other.com') })
    expect(action(run)).toEqual({ type: 'open_page', url: 'https://b.com' })
    call(run, 'browser.find', '{"pattern":"x","cursor":9}')
    expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'x', url: '' })
  })

  test('a result that is text of the host shows its page as a message in the transcript does', () => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"id":3}')
    run.toolResult({ itemId: 'ws_0', output: shown(2, 'https://a.com') })
    expect(action(run)).toEqual({ type: 'open_page', url: 'https://a.com' })
  })

  test('a web search whose result has pages and an error fails, and keeps its page', () => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"id":3}')
    expect(brief(run.toolResult({ itemId: 'ws_0', pages, error: { message: '404' } }))).toEqual([
      'output_item.done 0 failed',
    ])
    expect(action(run)).toEqual({ type: 'open_page', url: 'https://b.com' })
  })

  test('a result that comes a second time is reported, and the first one stands', () => {
    const run = createRun({ request: withSources })
    call(run, 'browser.search', '{"query":"q"}')
    run.toolResult({ itemId: 'ws_0', sources: [{ url: 'https://a.com' }] })
    expect(run.toolResult({ itemId: 'ws_0', error: { message: 'late' } })).toEqual([])
    expect(run.answer('browser.search', 'found')).toEqual([])
    expect(run.diagnostics).toMatchObject([
      { code: 'second_result', subject: 'ws_0' },
      { code: 'second_result', subject: 'ws_0' },
    ])
    expect(terminal(run.end()).output).toMatchObject([
      { status: 'completed', action: { sources: [{ url: 'https://a.com' }] } },
    ])
  })

  test('a result that comes a second time shows no page', () => {
    const run = browsing('https://a.com')
    run.toolResult({ itemId: 'ws_0', pages: [{ cursor: 0, url: 'https://late.com' }] })
    call(run, 'browser.find', '{"pattern":"x"}')
    expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'x', url: 'https://a.com' })
  })

  test('the results of several web searches come in any order, by their ids', () => {
    const run = createRun({ request })
    call(run, 'browser.search', '{"query":"a"}')
    call(run, 'browser.open', '{"id":1}')
    call(run, 'browser.search', '{"query":"b"}')
    expect(brief(run.toolResult({ itemId: 'ws_2', output: 'x' }))).toEqual(DONE(2))
    expect(brief(run.toolResult({ itemId: 'ws_0', error: { message: 'x' } }))).toEqual(['output_item.done 0 failed'])
    expect(brief(run.toolResult({ itemId: 'ws_1', output: shown(7, 'https://a.com') }))).toEqual(DONE(1))
    expect(briefOutput(terminal(run.end()))).toEqual([
      'web_search_call failed {"type":"search","query":"a"}',
      'web_search_call completed {"type":"open_page","url":"https://a.com"}',
      'web_search_call completed {"type":"search","query":"b"}',
    ])
  })

  test('a result in the transcript answers the oldest web search of the function that speaks', () => {
    const run = createRun({ request })
    call(run, 'browser.search', '{"query":"a"}')
    call(run, 'browser.open', '{"id":1}')
    call(run, 'browser.search', '{"query":"b"}')
    expect(brief(run.answer('browser.open', shown(0, 'https://a.com')))).toEqual(DONE(1))
    expect(brief(run.answer('browser.search', 'x'))).toEqual(DONE(0))
    expect(brief(run.answer('browser.search', 'y'))).toEqual(DONE(2))
    expect(run.diagnostics).toEqual([])
  })

  test('a result of a browser function that was not called is reported, and shows no page', () => {
    const run = browsing('https://a.com')
    call(run, 'browser.search', '{"query":"a"}')
    expect(run.answer('browser.find', shown(1, 'https://late.com'))).toEqual([])
    expect(run.diagnostics).toMatchObject([{ code: 'result_without_call', subject: 'browser.find' }])
    call(run, 'browser.find', '{"pattern":"x"}')
    expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'x', url: 'https://a.com' })
  })

  test('a web search result that the model made up shows no page and completes nothing', () => {
    const run = createRun({ request })
    call(run, 'browser.open', '{"id":1}')
    expect(run.push(toolMessage('browser.open', shown(0, 'https://made.up')).host as string)).toEqual([])
    expect(codes(run.diagnostics)).toEqual(['sampled_result'])
    call(run, 'browser.find', '{"pattern":"x"}')
    expect(action(run)).toEqual({ type: 'find_in_page', pattern: 'x', url: '' })
  })

  test('a result closes a web search itself if the engine swallowed its <|call|>', () => {
    const run = createRun({ request })
    run.push(callTo('browser.open', '{"id":1}'))
    expect(brief(run.answer('browser.open', shown(0, 'https://a.com')))).toEqual([
      'web_search_call.searching 0',
      ...DONE(0),
    ])
    expect(action(run)).toEqual({ type: 'open_page', url: 'https://a.com' })
    expect(run.diagnostics).toEqual([])
  })

  test.each<[string, unknown]>([
    ['an invalid source', { sources: [null] }],
    ['an invalid page', { pages: [null] }],
    ['a page without a cursor', { pages: [{ url: 'https://a.com' }] }],
    ['a page without a url', { pages: [{ cursor: 1 }] }],
    ['pages that are no list', { pages: { cursor: 1, url: 'https://a.com' } }],
  ])('a result with %s throws a typed error, and the web search still waits', (_, bad) => {
    const run = createRun({ request: withSources })
    call(run, 'browser.search', '{"query":"q"}')
    expect(() => run.toolResult({ itemId: 'ws_0', ...(bad as object) } as ToolResult)).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_result' }),
    )
    expect(brief(run.toolResult({ itemId: 'ws_0', output: 'x' }))).toEqual(DONE(0))
  })
})

test('the id of a web search begins with ws, in the form of the API', () => {
  const translator = new Translator({ responseId: 'resp_test', clock: () => 0, request })
  translator.push(inTurn(callTo('browser.search', 'a<|call|>'), callTo('browser.open', 'b<|call|>')))
  const ids = translator.response.output.map(({ id }) => id)
  for (const id of ids) expect(id).toMatch(/^ws_[0-9a-f]{50}$/)
  expect(new Set(ids).size).toBe(2)
})

test('a snapshot at any moment keeps the web searches and their pages', () => {
  const steps: ((translator: Translator) => ResponseStreamEvent[])[] = [
    (translator) => translator.push(callTo('browser.open', '{"id":')),
    (translator) => translator.push('1}<|call|>'),
    (translator) => translator.push(toolMessage('browser.open', shown(0, 'https://a.com'))),
    (translator) => translator.push(`<|start|>assistant${callTo('browser.search', '{"query":"q"}<|call|>')}`),
    (translator) => translator.push(`<|start|>assistant${callTo('browser.open', '{"id":2}<|call|>')}`),
    (translator) => translator.toolResult({ itemId: 'ws_2', pages: [{ cursor: 1, url: 'https://b.com' }] }),
    (translator) => translator.toolResult({ itemId: 'ws_1', sources: [{ url: 'https://c.com' }] }),
    (translator) =>
      translator.push(`<|start|>assistant${callTo('browser.find', '{"pattern":"x","cursor":0}<|call|>')}`),
    (translator) => translator.push(`<|start|>assistant${callTo('browser.find', '{"pattern":"y"}<|call|>')}`),
    (translator) => translator.push(`<|start|>assistant${messageOn('final', 'Done.<|return|>')}`),
    (translator) => translator.end(),
  ]
  const options = { ...FIXED, request: withSources }
  const whole = new Translator(options)
  const expected = steps.flatMap((step) => step(whole))
  expect(briefOutput(terminal(expected))).toEqual([
    'web_search_call completed {"type":"open_page","url":"https://a.com"}',
    'web_search_call completed {"type":"search","query":"q","sources":[{"type":"url","url":"https://c.com"}]}',
    'web_search_call completed {"type":"open_page","url":"https://b.com"}',
    'web_search_call incomplete {"type":"find_in_page","pattern":"x","url":"https://a.com"}',
    'web_search_call incomplete {"type":"find_in_page","pattern":"y","url":"https://b.com"}',
    'message completed "Done."',
  ])
  for (let cut = 0; cut < steps.length; cut++) {
    const first = new Translator(options)
    const events = steps.slice(0, cut).flatMap((step) => step(first))
    const second = Translator.restore(JSON.parse(JSON.stringify(first.snapshot())), options)
    events.push(...steps.slice(cut).flatMap((step) => step(second)))
    expect(events).toEqual(expected)
  }
})
