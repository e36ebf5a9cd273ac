import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { run } from '../../../src/cli/run.js'
import type { WireEvent } from '../../../src/judge/conformance/arbitraries/faults/wire-event.js'
import { RULES } from '../../../src/judge/probe/index.js'
import { fakeIo } from '../../cli/io.js'
import { describeSlow } from '../../support/slow-suites.js'
import type { Json } from './model.js'
import { closeServers, serve } from './play.js'
import { type Faults, sendJson } from './server.js'

closeServers()

/** Runs the command with a report, and returns that. */
async function reported(file: string, faults: Faults, ...argv: string[]) {
  const server = await serve(faults)
  const io = fakeIo()
  const url = server.url.replace('://', '://ann:url-secret@')
  const code = await run(['probe', url, '--report', file, '--header', 'x-key: header-secret', ...argv], io)
  return {
    code,
    err: io.err,
    out: io.out,
    report: io.written[file] ?? '',
    asked: server.asked,
    host: server.url.slice(7),
  }
}

const withoutTerminal: Faults['events'] = (events) => events.slice(0, -1)

describe('--report', () => {
  test.each(['report.md', 'report.html', 'REPORT.HTML'])(
    '%s says what held, what did not, with its request, and how fast',
    async (file) => {
      const { code, report, err } = await reported(
        file,
        { events: withoutTerminal },
        '--only',
        'plain',
        '--only',
        'chat-text',
      )
      expect([code, err]).toEqual([1, ''])
      for (const words of [
        'canned-model',
        'harmony-responses',
        '1 pass, 1 fail',
        'plain',
        'chat-text',
        'POST /responses',
      ]) {
        expect(report).toContain(words)
      }
      expect(report).toContain('Say hello in one short sentence.')
      expect(report).toContain('one-terminal-event-last')
      expect(report).toMatch(/breaks openai|It breaks .*codex/)
    },
  )

  test('counts output tokens by the second', async () => {
    const { report } = await reported('report.md', {}, '--only', 'call', '--only', 'long-reasoning')
    expect(report).toMatch(/\| output tokens a second \| \d+\.\d, of \d+ in streams/)
  })

  test('says nothing of speed where nothing was long enough', async () => {
    const { report } = await reported('report.md', {}, '--only', 'malformed-json')
    expect(report).toContain('not measured')
  })

  test.each(['report.txt', 'report', 'html', 'report.md.gz'])(
    'another ending is refused before anything is asked: %s',
    async (file) => {
      const { code, err, asked } = await reported(file, {})
      expect([code, asked]).toEqual([2, []])
      expect(err).toBe(`harmony-responses: --report: expected a file that ends in .html or .md, got "${file}"\n`)
    },
  )

  test.each(['--report', '--junit'])(
    'a file of %s that cannot be written is told in one line, before anything is asked',
    async (option) => {
      const server = await serve({})
      const io = Object.assign(fakeIo(), {
        makeFolder: () => Promise.reject(new Error("EACCES: permission denied, access '/'")),
      })
      const code = await run(['probe', server.url, option, '/r.md'], io)
      expect([code, io.err]).toEqual([2, 'harmony-responses: cannot write /r.md: permission denied\n'])
      expect(server.asked).toEqual([])
    },
  )

  test('a folder is no file for a report', async () => {
    const server = await serve({})
    const io = Object.assign(fakeIo(), { readFolder: async () => [] })
    expect(await run(['probe', server.url, '--report', 'reports.md'], io)).toBe(2)
    expect([io.err, server.asked]).toEqual(['harmony-responses: cannot write reports.md: it is a folder\n', []])
  })

  test('an earlier report stays where the server cannot be reached', async () => {
    const io = Object.assign(fakeIo(), { written: { 'r.md': 'earlier' } })
    expect(await run(['probe', 'http://127.0.0.1:1', '--report', 'r.md'], io)).toBe(2)
    expect(io.written).toEqual({ 'r.md': 'earlier' })
  })

  test('a page has no script, loads nothing, and its policy allows its own style alone', async () => {
    const { report } = await reported('report.html', { events: withoutTerminal }, '--only', 'plain')
    const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(report) ?? []
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(report) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(policy).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`)
    const elements = new Set(Array.from(report.matchAll(/<([a-z0-9]+)/g), ([, name]) => name))
    const plain = ['html', 'head', 'meta', 'title', 'style', 'body', 'h1', 'h2', 'h3', 'p', 'pre', 'strong']
    expect([...plain, 'table', 'tr', 'td', 'th']).toEqual(expect.arrayContaining([...elements]))
    expect(report).not.toMatch(/\s(?:on\w+|src|href)=/)
  })
})

describeSlow('a report has no text but that of the probe', () => {
  const CANARY = 'canary'
  const HOSTILE = [
    `<script>${CANARY}</script>`,
    `](javascript:${CANARY}) **${CANARY}** |`,
    `\u202e${CANARY}\u2066`,
    '`'.repeat(9) + CANARY,
    `\n\n# ${CANARY}`,
    CANARY.repeat(50),
  ].join('')

  /** A server whose texts are hostile wherever it writes them, and that repeats the keys. */
  const poisoned = (value: unknown): unknown => {
    if (typeof value === 'string') return /^[\w.]+$/.test(value) && value.length < 40 ? value : HOSTILE
    if (Array.isArray(value)) return value.map(poisoned)
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(([name, inner]) => [name, poisoned(inner)])
    return { ...Object.fromEntries(fields), [`${CANARY}_field`]: HOSTILE, header: 'header-secret', url: 'url-secret' }
  }
  const poisonAll = (values: readonly Json[]): never[] => values.map(poisoned) as never[]
  const renamed = (events: readonly WireEvent[]): never[] =>
    poisonAll(events).map((event: Json, at) =>
      at % 5 === 4 ? { ...event, type: `response.${CANARY}` } : event,
    ) as never[]
  const asUser = (events: WireEvent[]): never[] =>
    events.map((event) => {
      const { item } = event as { item?: Json }
      const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: HOSTILE }] }
      return item?.['type'] === 'reasoning' ? { ...event, item: { ...item, ...said } } : event
    }) as never[]

  const names = ['plain', 'call', 'tool-loop', 'strict-bodies', 'malformed-json', 'unknown-model', 'resume', 'cancel']
  const ASKED = [...names, 'chat-call', 'messages-call'].flatMap((name) => ['--only', name])

  const ATTACKS: Readonly<Record<string, Faults>> = {
    'in streams': {
      events: (events) => poisonAll(events as never),
      chat: { chunks: poisonAll },
      messages: { events: poisonAll },
    },
    'in types of events': { events: renamed },
    // The refused request shows them.
    'in items that pretend to be the user': {
      events: asUser,
      reply: ({ body: { input } }, response) => {
        if (!Array.isArray(input) || input.length < 2) return false
        sendJson(response, 400, { error: { message: HOSTILE, type: 'x', param: null, code: null } })
        return true
      },
    },
    'in ids of calls': {
      events: (events) =>
        JSON.parse(
          JSON.stringify(events).replaceAll(/"(?:call_)?id":"[^"]*"/g, (pair) =>
            pair.replace(/"[^"]*"$/, JSON.stringify(HOSTILE)),
          ),
        ),
    },
    'in answers': { whole: poisoned, chat: { whole: poisoned }, messages: { whole: poisoned } },
    'in errors': {
      refuse: (response) =>
        sendJson(response, 418, { error: { message: HOSTILE, type: HOSTILE, param: 'header-secret' } }),
    },
    'in every answer': {
      reply: (_, response) => {
        sendJson(response, 400, { error: { message: HOSTILE, type: 'url-secret', param: null, code: null } })
        return true
      },
    },
    'in the name of its model': {
      reply: ({ path }, response) => {
        if (path !== '/v1/models') return false
        sendJson(response, 200, { data: [{ id: HOSTILE.slice(0, 500) }] })
        return true
      },
    },
    'in frames and the content type': {
      contentType: `text/${CANARY}`,
      frames: (frames) => [`${CANARY}: ${CANARY}\n\n`, `data: ${CANARY}\n\n`, ...frames],
    },
  }

  test.each(Object.entries(ATTACKS))(
    'hostile texts %s',
    async (what, faults) => {
      // Both are written from the same report.
      for (const file of what === 'in every answer' || /items/.test(what)
        ? ['report.md', 'report.html']
        : ['report.html']) {
        const { report, host, out } = await reported(file, faults, ...ASKED)
        // It was there to be shown.
        expect(out).toContain(CANARY)
        for (const secret of [CANARY, 'secret', host, '\u202e', '\u2066', '<script'])
          expect(report).not.toContain(secret)
        expect(report.length).toBeLessThan(60_000)
        expect(report).toContain('malformed-json')
      }
    },
    240_000,
  )

  test('every rule of a fault has its sentence', async () => {
    const { report } = await reported('report.md', { contentType: 'text/plain' }, '--only', 'plain')
    expect(report).toContain(RULES['content-type'])
  })
})
