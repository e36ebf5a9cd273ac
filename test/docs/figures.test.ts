import { describe, expect, test } from 'vitest'
import { FIGURES } from './figures.js'
import { expectFigures, FIGURE_MARK } from './generated.js'
import { type Page, pageOf, pages } from './pages.js'

const COUNT =
  '(?:\\d[\\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|\\w+ty)'
const COUNTED =
  'tests|clients|rules|invariants|options|metrics|subpaths|scenarios|fixtures|recordings|profiles|faults|families|diagnostics'
const RELEASED =
  'openai|ai|@[a-z-]+/[a-z-]+|Claude Code|Codex|vLLM|SGLang|llama-server|llama\\.cpp|node-llama-cpp|Node|Python|harmony-responses'

/** What a command, a list in the code or a lock file says, as sentences have it. */
const BY_HAND: Readonly<Record<string, RegExp>> = {
  size: /\b\d[\d,.]* kB\b/g,
  count: new RegExp(`\\b${COUNT} (?:\\w+ )?(?:${COUNTED})\\b`, 'gi'),
  version: new RegExp(`(?<![\\w@/-])(?:${RELEASED})\`? v?\\d+\\.\\d[\\d.]*`, 'g'),
}

const MEASURED =
  /\b\d[\d.,]* (?:ms|µs|s|seconds)\b.*\b(?:processor time|took)\b|\b(?:took|takes)\b.*\b\d[\d.,]* (?:ms|µs|seconds)\b/
const MACHINE = /EPYC|Xeon|on two cores/

/** What stands on a page by hand, and why. */
const ALLOWED: readonly { readonly page: string; readonly has: string; readonly why: string }[] = [
  { page: 'README.md', has: 'llama-server v0.5.0', why: 'the version that was recorded' },
  { page: 'docs/llama-server.md', has: 'v0.5.0', why: 'the version that was recorded' },
  { page: 'docs/llama-server.md', has: '3.22.1', why: 'the version that was recorded' },
  { page: 'docs/migrate.md', has: 'llama-server v0.5.0', why: 'the version that was recorded' },
  { page: 'docs/dialects.md', has: 'vLLM 0.32', why: 'the version whose streams were recorded' },
  { page: 'docs/messages.md', has: 'Claude Code 2.1.332', why: 'the version that was measured' },
  { page: 'docs/judge.md', has: 'Node 20.20', why: 'the version that was measured' },
  { page: 'docs/request.md', has: 'Node 20.20', why: 'the version that was measured' },
  { page: 'docs/sealing.md', has: 'Node 20.20', why: 'the version that was measured' },
  { page: 'docs/translator.md', has: 'Node 22.23', why: 'the version that was measured' },
  { page: 'docs/respond.md', has: 'a store that takes 20 ms', why: 'an example' },
  { page: 'docs/serve.md', has: '`--delay 50`', why: 'an option' },
  { page: 'docs/engines.md', has: 'vLLM 0.10.2', why: 'the first with token ids' },
  { page: 'docs/deploy.md', has: 'Node 22.13', why: 'the first with SQLite' },
  { page: 'docs/durability.md', has: 'Node 22.13', why: 'the first with SQLite' },
  { page: 'test/README.md', has: 'Node 22.13', why: 'the first with SQLite' },
  { page: 'test/README.md', has: 'Python 3.11', why: 'the first that all clients run on' },
  { page: 'docs/web-socket.md', has: '`@hono/node-server` 2.1', why: 'the first with upgradeWebSocket' },
  { page: 'docs/server.md', has: '100 kB by default', why: 'the default of another library' },
  { page: 'docs/clients.md', has: 'two clients leave offered calls out', why: 'a statement about them' },
  { page: 'docs/open-responses.md', has: '17 of 17 tests', why: 'its suite counts them, not this library' },
]

/** The sentences of a page: without its code, its generated tables, and its figures. */
function sentencesOf({ text }: Page): string {
  return text
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/<!-- ([^/=].*?) -->\n[\s\S]*?<!-- \/\1 -->/g, '')
    .replace(FIGURE_MARK, '')
}

const isAllowed = (page: string, line: string): boolean =>
  ALLOWED.some((allowed) => allowed.page === page && line.includes(allowed.has))

describe('figures', () => {
  test.each(pages)('$path has the figures that the code has', ({ path }) => {
    expectFigures(path, FIGURES)
  })

  test('every figure stands on a page', () => {
    const named = pages.flatMap(({ text }) => Array.from(text.matchAll(FIGURE_MARK), ([, name]) => name))
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(FIGURES).toSorted())
  })

  test.each(Object.entries(BY_HAND))('no %s is written by hand, but for what is measured', (_, pattern) => {
    const found = pages
      // Figures of a run that names its machine.
      .filter(({ path }) => path !== 'bench/README.md')
      .flatMap((page) =>
        sentencesOf(page)
          .split('\n')
          .flatMap((line) => (isAllowed(page.path, line) ? [] : (line.match(pattern) ?? [])))
          .map((figure) => `${page.path}: ${figure}`),
      )
    expect(found).toEqual([])
  })

  test('what passed in full says in the same sentence that a script played the model', () => {
    const passed = pages.flatMap((page) => sentencesOf(page).match(/[^.|]*\b(\d+) of\s\1\b[^.|]*/g) ?? [])
    expect(passed.length).toBeGreaterThanOrEqual(3)
    expect(passed.filter((sentence) => !sentence.includes('script'))).toEqual([])
  })

  test('a time that was measured names its machine', () => {
    const paragraphs = pages.flatMap((page) =>
      sentencesOf(page)
        .split('\n\n')
        .filter((text) => text.split('\n').some((line) => MEASURED.test(line) && !isAllowed(page.path, line)))
        .map((text) => ({ path: page.path, text })),
    )
    expect(paragraphs.length).toBeGreaterThan(0)
    const unnamed = paragraphs.filter(({ path, text }) => path !== 'bench/README.md' && !MACHINE.test(text))
    expect(unnamed).toEqual([])
  })

  test('every exception is about something that is there', () => {
    for (const { page, has } of ALLOWED) expect(pageOf(page), has).toContain(has)
  })
})
