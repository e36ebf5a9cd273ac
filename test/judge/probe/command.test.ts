import { describe, expect, test } from 'vitest'
import { probe as command } from '../../../src/cli/probe-command.js'
import { run } from '../../../src/cli/run.js'
import { SCENARIOS } from '../../../src/judge/probe/index.js'
import { fakeIo } from '../../cli/io.js'
import { closeServers, serve } from './play.js'
import { type Faults, sendJson } from './server.js'

closeServers()

/** Runs the command on a server. */
async function probe(faults: Faults, argv: readonly string[] = [], io = fakeIo()) {
  const server = await serve(faults)
  const code = await run(['probe', server.url, ...argv], io)
  return { code, out: io.out, err: io.err, written: io.written, server }
}

/** Text that would do harm in a terminal, and in XML. */
const HOSTILE = '\u001b[2J</failure>]]>&amp;"\u0000\ud800\uffff\u202e\nharmony: 15 pass'

const hostile: Faults['reply'] = ({ path }, response) => {
  if (path !== '/v1/responses') return false
  sendJson(response, 500, { error: { message: HOSTILE } })
  return true
}

const withoutTerminal: Faults['events'] = (events) => events.slice(0, -1)

describe('the table', () => {
  test('the table says that there are no problems, and exits with 0', async () => {
    const { code, out, err } = await probe({}, ['--only', 'plain', '--only', 'abort'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/v1\/responses, model canned-model, checked against openai and the clients\n/,
    )
    expect(out).toMatch(/^pass +plain$/m)
    expect(out).toMatch(/^2 pass; no problems$/m)
    expect(out).not.toMatch(/^pass +call/m)
  })

  test('the table has one row for a cause, with the clients that it breaks, its place, and its consequences', async () => {
    const { code, out } = await probe({ events: withoutTerminal }, ['--only', 'plain', '--only', 'call'])
    expect(code).toBe(1)
    expect(out).toMatch(/^fail +plain +\d error/m)
    const [head = '', ...rows] = out
      .split('\n')
      .slice(out.split('\n').findIndex((line) => /^ +openai {2}openai-python/.test(line)))
    expect(head.trim().split(/ {2,}/)).toEqual([
      'openai',
      'openai-python',
      'ai-sdk',
      'openai-agents',
      'langchain',
      'codex',
    ])
    const firstRow = rows[0] ?? ''
    expect(firstRow).toMatch(/^ 1 error/)
    // Marks stand below the names of the clients.
    for (const client of head.trim().split(/ {2,}/)) expect('x.').toContain(firstRow[head.indexOf(client)] ?? ' ')
    expect(out).toMatch(/^ {3}in plain, call$/m)
  })

  test('the table has what breaks most clients first, and warnings last', async () => {
    const { out } = await probe(
      {
        events: withoutTerminal,
        contentType: 'text/plain',
        refuse: (response) => sendJson(response, 400, { error: { message: 'no', type: 'x' } }),
      },
      ['--only', 'malformed-json', '--only', 'plain'],
    )
    const rows = out.split('\n').filter((line) => /^ ?\d+ (error|warning)/.test(line))
    const marks = rows.map((row) => row.match(/ x(?= |$)/g)?.length ?? 0)
    expect(marks).toEqual(marks.toSorted((a, b) => b - a))
    expect(rows.at(-1)).toMatch(/warning error-body/)
  })

  test("the table escapes the server's output, so that it forges nothing", async () => {
    const { out } = await probe({ reply: hostile }, ['--only', 'plain'])
    expect(out).toContain('\\u001b[2J')
    expect(out).toContain('\\u202e')
    expect(out).not.toContain('\u001b')
    expect(out).not.toMatch(/^harmony: 15 pass/m)
  })

  test('the table has colours on a terminal alone', async () => {
    const server = await serve()
    const io = { ...fakeIo(), out: '', screen: { columns: 80, hasColors: true } }
    const print = async (text: string): Promise<void> => {
      io.out += text
    }
    await run(['probe', server.url, '--only', 'plain'], { ...io, print })
    expect(io.out).toContain('\u001b[32mpass')
  })
})

test('--json prints one line for machines', async () => {
  const { code, out, server } = await probe({ events: withoutTerminal }, [
    '--json',
    '--only',
    'plain',
    '--profile',
    'client:codex',
  ])
  expect(code).toBe(1)
  expect(out).toMatch(/^[^\n]+\n$/)
  expect(JSON.parse(out)).toMatchObject({
    url: `${server.url}/v1/responses`,
    model: 'canned-model',
    profile: 'client:codex',
    summary: { pass: 0, fail: 1, inconclusive: 0, unsupported: 0 },
    results: [
      { scenario: 'plain', verdict: 'fail', requests: 2, findings: [{ severity: 'error', request: 'stream' }] },
    ],
  })
})

describe('--junit', () => {
  test('--junit writes a test case for each scenario into a file, beside the table', async () => {
    const { code, out, written } = await probe({}, ['--junit', 'probe.xml'])
    expect(code).toBe(0)
    expect(out).toContain('no problems')
    const xml = written['probe.xml'] ?? ''
    expect(elementsOf(xml).filter((name) => name === 'testcase')).toHaveLength(SCENARIOS.length)
    expect(xml).toContain(`tests="${SCENARIOS.length}" failures="0" errors="0" skipped="0"`)
  })

  test('--junit prints its report instead of the table if the file is -', async () => {
    const { code, out } = await probe({ events: withoutTerminal }, ['--junit', '-', '--only', 'plain'])
    expect(code).toBe(1)
    expect(out).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/)
    expect(elementsOf(out)).toEqual([
      'testsuites',
      'testsuite',
      'properties',
      'property',
      'property',
      'testcase',
      'failure',
      'system-out',
    ])
  })

  test('--junit is well-formed, whatever the server wrote', async () => {
    const { out } = await probe({ reply: hostile }, ['--junit', '-', '--only', 'plain'])
    expect(elementsOf(out)).toContain('failure')
    expect(out).toContain('&lt;/failure&gt;]]&gt;&amp;amp;&quot;')
  })

  test('--junit skips inconclusive and unsupported scenarios', async () => {
    const { code, out } = await probe(
      {
        reply: ({ path }, response) => {
          if (!path.includes('starting_after')) return false
          sendJson(response, 404, { error: { message: 'no <such> route' } })
          return true
        },
      },
      ['--junit', '-', '--only', 'resume'],
    )
    expect(code).toBe(0)
    expect(out).toContain('<skipped message="unsupported: 404: no &lt;such&gt; route"/>')
    expect(elementsOf(out)).toContain('skipped')
  })

  test('--junit says where its file cannot be written', async () => {
    const writeFile = async (): Promise<void> => {
      throw new Error("EACCES: permission denied, open '/etc/probe.xml'")
    }
    const io = Object.assign(fakeIo(), { writeFile })
    const { code, err } = await probe({}, ['--only', 'plain', '--junit', '/etc/probe.xml'], io)
    expect([code, err]).toEqual([2, 'harmony-responses: cannot write /etc/probe.xml: permission denied\n'])
  })
})

test('headers are sent, and never printed', async () => {
  const reply: Faults['reply'] = ({ headers, path }, response) => {
    if (path !== '/v1/responses') return false
    sendJson(response, 500, { error: { message: `unknown key ${headers['authorization']}` } })
    return true
  }
  for (const form of [[], ['--json'], ['--junit', '-']]) {
    const argv = [
      '--header',
      'Authorization: Bearer sk-verysecret',
      '--header',
      'X-Team: blue',
      '--only',
      'plain',
      ...form,
    ]
    const { out, server } = await probe({ reply }, argv)
    expect(server.asked.at(-1)?.headers).toMatchObject({ authorization: 'Bearer sk-verysecret', 'x-team': 'blue' })
    expect(out).toContain('[hidden]')
    expect(out).not.toContain('verysecret')
  }
})

describe('exits with 2', () => {
  test('the command exits with 2 if no server listens', async () => {
    const server = await serve()
    await server.close()
    const io = fakeIo()
    expect(await run(['probe', server.url], io)).toBe(2)
    expect(io.err).toMatch(/^harmony-responses: probe: cannot reach http:.*ECONNREFUSED.*\n$/)
    expect(io.out).toBe('')
  })

  test('the command exits with 2 if the server wants a key, and says how to give one', async () => {
    const { code, err } = await probe({
      reply: (_, response) => {
        sendJson(response, 401, { error: { message: 'Incorrect API key provided' } })
        return true
      },
    })
    expect(code).toBe(2)
    expect(err).toMatch(/answers 401 \(--header 'Authorization: Bearer KEY'\?\): Incorrect API key provided\n$/)
  })

  test.each([
    [[], 'probe: expected one URL, got 0'],
    [['http://a', 'http://b'], 'probe: expected one URL, got 2'],
    [['localhost:8000'], 'probe: url: expected an http or https URL'],
    [['http://a', '--only', 'nothing'], '--only: expected one of plain, call,'],
    [['http://a', '--profile', 'x'], '--profile: expected one of openai,'],
    [['http://a', '--timeout', 'soon'], '--timeout: expected a number of seconds greater than 0, got "soon"'],
    [['http://a', '--timeout', '0'], '--timeout: expected a number of seconds'],
    [['http://a', '--header', 'sk-secret'], "--header: expected 'Name: value'"],
    [['http://a', '--json', '--junit', '-'], '--junit -: expected a file beside --json'],
    [['http://a', '--nonsense'], "Unknown option '--nonsense'"],
  ])('the command exits with 2 for %j', async (argv, message) => {
    const io = fakeIo()
    expect(await run(['probe', ...argv], io)).toBe(2)
    expect(io.err).toContain(`harmony-responses: ${message}`)
    expect(io.err).not.toContain('sk-secret')
    expect(io.err).toMatch(/^[^\n]+\n$/)
  })
})

test('--only takes every scenario and both groups, and nothing else', () => {
  expect(command.options['only']).toMatchObject({ words: [...SCENARIOS.map(({ name }) => name), 'chat', 'messages'] })
})

test('the probe is a command of harmony-responses', async () => {
  const server = await serve()
  const io = fakeIo()
  expect(await run(['probe', server.url, '--only', 'plain'], io)).toBe(0)
  expect(io.out).toContain('no problems')
  const other = fakeIo()
  expect(await run(['--help'], other)).toBe(0)
  expect(other.out).toContain('  probe URL')
})

test('a reader that goes away ends the command in peace', async () => {
  const server = await serve()
  const io = fakeIo({}, Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  expect(await run(['probe', server.url, '--only', 'plain'], io)).toBe(0)
  expect(io.err).toBe('')
})

/** The names of a document's elements in their order. Throws if it is not well-formed. */
function elementsOf(xml: string): string[] {
  const text = xml.replace(/^<\?xml [^?]*\?>\n/, '')
  // Characters that XML 1.0 takes, tags with quoted attributes, and the five entities.
  expect(text).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u)
  const names: string[] = []
  const open: string[] = []
  const rest = text.replace(
    /<(\/?)([\w-]+)((?:\s[\w-]+="(?:[^<&"]|&(?:amp|lt|gt|quot|apos);)*")*)(\/?)>/g,
    (_, end, name, _attributes, empty) => {
      if (end === '/') expect(open.pop()).toBe(name)
      else {
        names.push(name)
        if (empty === '') open.push(name)
      }
      return ''
    },
  )
  expect(rest).not.toMatch(/<|&(?!(amp|lt|gt|quot|apos);)|\]\]>/)
  expect(open).toEqual([])
  return names
}
