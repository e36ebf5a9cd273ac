import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BrowserToolOptions,
  brave,
  createBrowserTool,
  exa,
  searxng,
  tavily,
} from '../../../../src/endpoint/tools/browser/index.js'
import { runs } from '../../../support/runs.js'
import { describeWithShared, sharedFolder } from '../../../support/shared-data.js'
import { browserCall, converse, fetchOf } from './fixtures.js'

const OTTERS = 'https://site.test/otters'
const HTML = '<title>Otters</title><h1>Otters</h1><p>They hold <a href="/hands">hands</a>.</p><p>They swim.</p>'
const RESULTS = [
  { title: 'Otters', url: OTTERS, snippet: 'All of otters' },
  { title: 'B', url: 'https://b.test/', snippet: 'second' },
]

function options(given: Partial<BrowserToolOptions> = {}): BrowserToolOptions {
  return { backend: () => RESULTS, fetch: fetchOf({ [OTTERS]: HTML }), ...given }
}

describeWithShared("the browser answers as gpt-oss's own", () => {
  const path = join(sharedFolder() ?? '', 'data/tools/simple-browser-vectors.json')
  const vectors = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly html: string
    readonly calls: readonly [tool: string, given: object, name: string, answer: string][]
  }

  test('every call of a conversation, word for word', async () => {
    const { call } = await converse(options({ fetch: fetchOf({ [OTTERS]: vectors.html }) }))
    let compared = 0
    for (const [tool, given, name, answer] of vectors.calls) {
      // An argument that it does not have is an exception there.
      if (name === 'RAISED') continue
      const said = await call(tool, given)
      // Why a page could not be loaded is each one's own.
      if (answer.startsWith('Error fetching URL')) expect(said.split(': ')[0]).toBe(answer.split(': ')[0])
      else expect(said).toBe(answer)
      compared++
    }
    expect(compared).toBeGreaterThanOrEqual(14)
  })
})

describe('the browser', () => {
  test('answers web searches, and no other call', async () => {
    const { answers } = await createBrowserTool(options())
    expect(answers(browserCall('open'))).toBe(true)
    expect(answers({ type: 'code_interpreter_call' } as never)).toBe(false)
  })

  test('a search shows its results as links, and gives their addresses to the client', async () => {
    const { call, last } = await converse(options())
    expect(await call('search', { query: 'otters' })).toBe(
      '[0] otters\n**viewing lines [0 - 5] of 5**\n\nL0: \nL1: URL: \nL2: # Search Results\nL3: \n' +
        'L4:   * 【0†Otters†site.test】 All of otters\nL5:   * 【1†B†b.test】 second',
    )
    expect(last().sources).toEqual([
      { url: OTTERS, title: 'Otters' },
      { url: 'https://b.test/', title: 'B' },
    ])
  })

  test('a link leads to its page, whose lines are numbered', async () => {
    const { call } = await converse(options())
    await call('search', { query: 'otters' })
    expect(await call('open', { id: 0 })).toBe(
      `[1] Otters (${OTTERS})\n**viewing lines [0 - 6] of 6**\n\nL0: \nL1: URL: ${OTTERS}\nL2: # Otters \nL3: \n` +
        'L4: They hold 【0†hands】.\nL5: \nL6: They swim.',
    )
  })

  test('a page that is open is scrolled, searched and linked from without loading it again', async () => {
    const opened: string[] = []
    const { call } = await converse(options({ fetch: fetchOf({ [OTTERS]: HTML }, opened) }))
    await call('open', { id: OTTERS })
    expect(await call('open', { loc: 4, num_lines: 1 })).toContain('viewing lines [4 - 4] of 6')
    expect(await call('find', { pattern: 'SWIM' })).toContain('# 【0†match at L6】\nL1: They swim.')
    expect(await call('open', { id: 0 })).toContain('viewing lines [2 - 6] of 6')
    expect(opened).toEqual([OTTERS])
  })

  test('another process continues a conversation: it loads what it needs', async () => {
    const first = await converse(options())
    await first.call('search', { query: 'otters' })
    const opened: string[] = []
    const queries: string[] = []
    const backend = (query: string) => {
      queries.push(query)
      return RESULTS
    }
    const fetch = fetchOf({ [OTTERS]: HTML }, opened)
    const second = await converse(options({ backend, fetch }), {}, [...first.results])
    expect(await second.call('open', { id: 0 })).toContain('[1] Otters')
    expect([queries, opened]).toEqual([['otters'], [OTTERS]])
  })

  test('a link of a page that changed meanwhile is not followed', async () => {
    const first = await converse(options())
    await first.call('search', { query: 'otters' })
    const backend = () => [...RESULTS].reverse()
    const second = await converse(options({ backend }), {}, [...first.results])
    expect(await second.call('open', { id: 0 })).toBe('The page has changed since it was shown: link `0` is now `B`.')
  })

  test('what another conversation has read is loaded again', async () => {
    const opened: string[] = []
    const tool = await createBrowserTool(options({ fetch: fetchOf({ [OTTERS]: HTML }, opened) }))
    const context = { request: {}, text: OTTERS, earlierResults: () => [], before: [] }
    const whole = { ...context, signal: new AbortController().signal, report() {}, insert: () => false }
    await tool.run(browserCall('open'), whole)
    await tool.run(browserCall('open'), whole)
    expect(opened).toEqual([OTTERS, OTTERS])
  })

  test('a page stays as its conversation has read it when another one reads it later', async () => {
    let text = 'They hold hands.'
    const page = () => new Response(`<title>Otters</title><p>${text}</p>`, { headers: { 'content-type': 'text/html' } })
    const tool = await createBrowserTool(options({ fetch: fetchOf({ [OTTERS]: page }) }))
    const open = async (given: object, read: readonly string[] = []): Promise<string> => {
      const earlierResults = () => read.map((each) => ({ tool: 'browser.open', text: each }))
      const about = { request: {}, before: [], signal: new AbortController().signal, report() {}, insert: () => false }
      const result = await tool.run(browserCall('open'), { ...about, earlierResults, text: JSON.stringify(given) })
      return result.output ?? ''
    }
    const first = await open({ id: OTTERS })
    text = 'They swim.'
    const second = await open({ id: OTTERS })
    expect(await open({ cursor: 0, loc: 2 }, [first])).toContain('L2: They hold hands.')
    expect(await open({ cursor: 0, loc: 2 }, [second])).toContain('L2: They swim.')
  })

  test('calls of one turn show their pages under cursors of their own', async () => {
    const { call } = await converse(options())
    expect(await call('search', { query: 'a' })).toMatch(/^\[0\] /)
    expect(await call('open', { id: OTTERS }, [browserCall('search'), browserCall('open')])).toMatch(/^\[3\] /)
  })

  test('a long page is shown in parts', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `<p>Line ${index}.</p>`).join('')
    const { call } = await converse(options({ fetch: fetchOf({ [OTTERS]: lines }), maxViewLength: 500 }))
    const first = await call('open', { id: OTTERS })
    expect(first.length).toBeLessThan(700)
    const [, to, of] = /viewing lines \[0 - (\d+)\] of (\d+)/.exec(first) ?? []
    expect(await call('open', { loc: Number(to) + 1 })).toContain(`[${Number(to) + 1} - `)
    expect(Number(of)).toBe(600)
  })

  test('a line that is not there, a link that is not there and arguments of other types are told in the words that the model knows', async () => {
    const { call } = await converse(options())
    expect(await call('find', { pattern: 'x' })).toBe('No pages to access!')
    await call('open', { id: OTTERS })
    expect(await call('open', { loc: 99 })).toBe('Invalid location parameter: `99`. Cannot exceed page maximum of 6.')
    expect(await call('open', { id: 7 })).toBe('Invalid link id `7`.')
    expect(await call('open', { cursor: '0' })).toBe('`cursor` should be an integer, not `str`')
    expect(await call('open', { cursor: 5 })).toBe('Cursor `5` is out of range. Available cursor indices: [0 - 0].')
    expect(await call('search', { query: 1 })).toBe('`query` should be a text, not `float`')
    expect(await call('search', '{"query": "ott')).toBe('The arguments are not a JSON object.')
    expect(await call('search', { query: ' ' })).toBe('The query is empty.')
  })

  test('only what the request and the operator allow is shown, in results, as pages and after redirections', async () => {
    const redirect = (to: string) => () => new Response(null, { status: 302, headers: { location: to } })
    const web = { [OTTERS]: HTML, 'https://site.test/away': redirect('https://evil.test/') }
    const given = options({ fetch: fetchOf(web), blockedDomains: ['secret.site.test'] })
    const { call } = await converse(given, { filters: { allowed_domains: ['site.test'] } })
    expect(await call('search', { query: 'otters' })).not.toContain('b.test')
    expect(await call('open', { id: 'https://b.test/' })).toContain('b.test is not allowed')
    expect(await call('open', { id: 'https://site.test/away' })).toContain('evil.test is not allowed')
    expect(await call('open', { id: 'https://secret.site.test/' })).toContain('secret.site.test is not allowed')
    expect(await call('open', { id: OTTERS })).toContain('They swim.')
  })

  test('a backend learns what the request wants, and what it finds beyond that is left out', async () => {
    let seen: object = {}
    const backend: BrowserToolOptions['backend'] = (_, context) => {
      seen = context
      return Array.from({ length: 30 }, (_, index) => ({ title: '', url: `https://x.test/${index}`, snippet: '' }))
    }
    const location = { type: 'approximate', country: 'NZ' } as const
    const { call } = await converse(options({ backend }), { search_context_size: 'low', user_location: location })
    const shown = await call('search', { query: 'a' })
    expect(seen).toMatchObject({ maxResults: 5, location: { country: 'NZ' } })
    expect(shown.match(/【/g)).toHaveLength(5)
  })

  const NZ = { type: 'approximate', country: 'NZ', city: 'Nelson', region: null } as const
  test.each<[string, BrowserToolOptions['backend'], object, string[]]>([
    [
      'a place',
      searxng({ url: 'http://a.test' }),
      { user_location: NZ },
      ['user_location.country', 'user_location.city'],
    ],
    ['a city', brave({ apiKey: 'k' }), { user_location: NZ }, ['user_location.city']],
    ['a city', exa({ apiKey: 'k' }), { user_location: NZ }, ['user_location.city']],
    ['nothing of a search of yours', () => [], { user_location: NZ, search_context_size: 'high' }, []],
    ['images', () => [], { search_content_types: ['text', 'image'] }, ['search_content_types']],
    ['that the web be left alone', () => [], { external_web_access: false }, ['external_web_access']],
    ['nothing else', tavily({ apiKey: 'k' }), { filters: { allowed_domains: ['a.test'] } }, []],
  ])('it tells the host what it does not regard: %s', async (_, backend, declared, expected) => {
    const { ignores } = await createBrowserTool(options({ backend }))
    expect(ignores?.({ type: 'web_search_2025_08_26', ...declared })).toEqual(expected)
    expect(ignores?.({ type: 'file_search', ...declared })).toEqual([])
  })

  test('a search that ignores its signal is given up in time, and the model is told so', async () => {
    const { call } = await converse(options({ backend: () => new Promise(() => {}), seconds: 1 }))
    expect(await call('search', { query: 'a' })).toBe('The search was not answered within 1 seconds.')
  })

  test('results without a web address are left out', async () => {
    const wrong = [
      `https://x.test/${'x'.repeat(5_000)}`,
      'javascript:alert(1)',
      'not a url',
      'file:///etc/passwd',
      5 as never,
      undefined as never,
      null as never,
    ]
    const backend = () => [...wrong.map((url) => ({ title: 'x', url, snippet: '' })), ...RESULTS]
    const { call } = await converse(options({ backend }))
    expect((await call('search', { query: 'a' })).match(/【/g)).toHaveLength(2)
  })

  test.each([
    ['backend: expected a function', { backend: undefined }],
    ['maxResults', { maxResults: 0 }],
    ['blockedDomains[0]', { blockedDomains: [''] }],
    ['there is no option "backends"', { backends: 1 }],
  ])('a wrong option is refused: %s', async (message, given) => {
    const creation = createBrowserTool({ ...options(), ...given } as BrowserToolOptions)
    await expect(creation).rejects.toMatchObject({ code: 'bad_option', message: expect.stringContaining(message) })
  })
})

describe('whatever a page and a model write', () => {
  const hostile = fc.string({
    unit: fc.constantFrom(...'【】†\n<>/a ph1[]()L:0', '<a href=x>', '</a>', '<pre>', '<|end|>', '🦦'),
  })

  test('a page makes no links that it does not have, and every line fits', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const { call } = await converse(options({ fetch: fetchOf({ [OTTERS]: `<p>${text}</p>` }) }))
        const shown = await call('open', { id: OTTERS })
        const links = /<a href=x>/g.test(text) ? 1 : 0
        for (const [, id] of shown.matchAll(/【(\d+)†/g)) expect(Number(id)).toBeLessThan(links)
        for (const line of shown.split('\n').slice(3))
          expect(line.replace(/^L\d+: /, '').length).toBeLessThanOrEqual(80)
      }),
      { numRuns: runs(200) },
    )
  })

  test('a call is answered in words or with a page', async () => {
    const argument = fc.oneof(fc.integer({ min: -3, max: 30 }), hostile, fc.constant(null), fc.double())
    const call = fc.record(
      { id: argument, cursor: argument, loc: argument, num_lines: argument, query: argument, pattern: argument },
      { requiredKeys: [] },
    )
    const tools = fc.constantFrom('search', 'open', 'find')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(tools, fc.oneof(call, hostile)), { maxLength: 6 }), async (calls) => {
        const browser = await converse(options())
        for (const [tool, given] of calls) {
          await browser.call(tool, given)
          const { output, error } = browser.last()
          expect(output?.startsWith('[') || (error?.message ?? '') !== '').toBe(true)
        }
      }),
      { numRuns: runs(200) },
    )
  })
})
