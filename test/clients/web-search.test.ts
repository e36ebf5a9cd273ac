import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { answer, call } from '../../src/testing/index.js'
import { ClaudeCode, claudeCodePath } from './claude-code.js'
import { codexConfig, playCodex } from './clients/codex.js'
import { browsing, CALLS, localWeb, type Searching, searching } from './searching.js'
import { searchingClients } from './searching-clients.js'

/*
 * A client asks a question, for which the model searches, opens a page, finds words in it and scrolls it, ten calls in all,
 * and cites the page twice.
 */

/** What each client shows, for the table. */
const rows: string[] = []
const COUNT = 3 + searchingClients.length * 2

function addRow(client: string, api: string, form: string, shown: Shown): void {
  const number = (count: number): string => (count === 0 ? 'none' : String(count))
  rows.push(`| ${client} | ${api} | ${form} | ✓ | ${number(shown.calls)} | ${number(shown.citations)} |`)
}

interface Shown {
  readonly calls: number
  readonly citations: number
}

/** All objects within what a client gives to its application. */
function* objectsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>
  for (const part of Object.values(value)) yield* objectsIn(part)
}

/** Counts the calls, and the citations of a page. */
function shownIn(given: unknown, page: string): Shown {
  const objects = [...objectsIn(JSON.parse(JSON.stringify(given)))]
  const ofType = (...types: string[]) => objects.filter(({ type }) => types.includes(String(type)))
  const cited = ofType('url_citation', 'web_search_result_location', 'citation')
  const ofPage = cited.filter((one) => JSON.stringify(one).includes(page))
  const calls = ofType('web_search_call', 'server_tool_use', 'hosted_tool_call').map(({ id }) => id)
  return { calls: new Set(calls).size, citations: ofPage.length }
}

/** Every call has run, and the answer has both links. */
function expectBrowsed({ page, records, errors }: Searching, text: string): void {
  expect(errors).toEqual([])
  expect(records.map(({ outcome }) => outcome)).toEqual(CALLS.map(() => 'completed'))
  expect(text.split(`](${page}))`)).toHaveLength(3)
}

test.each(
  searchingClients.flatMap((client) =>
    [false, true].map((isStreamed) => [client.name, client.api, isStreamed ? 'streamed' : 'whole', client] as const),
  ),
)('%s by %s, %s, has the answer with links to the pages that it cites', async (name, api, form, client) => {
  const server = await searching(client.isOffered === true)
  const { text, given } = await client.ask(server.baseURL, form === 'streamed')
  expectBrowsed(server, text)
  addRow(name, api, form, shownIn(given, server.page))
})

test('Codex has the answer, and prints the searches', async () => {
  const server = await searching(false)
  const played = await playCodex(codexConfig(server.baseURL), {
    onText: () => {},
    signal: new AbortController().signal,
  })
  expectBrowsed(server, played.text.at(-1) ?? '')
  addRow('Codex CLI', 'Responses', 'streamed', { calls: played.hosted.length, citations: played.citations.length })
})

test.skipIf(claudeCodePath() === undefined)('Claude Code is shown the pages that its search found', async () => {
  const { page, tool } = await localWeb()
  const claude = await ClaudeCode.start(
    () => (asked) => {
      if (asked.messages[0]?.content.includes('## browser')) return browsing(asked)
      const results = asked.messages.filter(({ role }) => role === 'tool')
      const search = call('functions.WebSearch', { query: 'otters', blocked_domains: ['example.com'] })
      return results.length === 0 ? [search] : [answer(results.at(-1)?.content ?? '')]
    },
    { tools: [tool] },
  )
  try {
    const { result } = await claude.ask('Do otters hold hands?', '--allowedTools', 'WebSearch')
    expect(claude.statuses.every((status) => status === 200)).toBe(true)
    expect(result).toContain(`{"title":"Otters","url":"${page}"}`)
    expect(result).toContain('They do')
    addRow('Claude Code', 'Messages', 'streamed', { calls: result.split(`"url":"${page}"`).length - 1, citations: 0 })
  } finally {
    await claude.close()
  }
})

afterAll(() => {
  if (rows.length < COUNT - 1) return
  const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8')
  const [, found = ''] = /<!-- web search -->\n([\s\S]*?)\n<!-- \/web search -->/.exec(page) ?? []
  const head = [
    '| client | API | | links in the text | calls that it shows | citations beside the text |',
    '|---|---|---|---|---|---|',
  ]
  expect(found).toBe([...head, ...rows].join('\n'))
})
