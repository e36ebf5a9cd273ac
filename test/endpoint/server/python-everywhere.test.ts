import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CallRecord, ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import type { PythonTool, Tool } from '../../../src/endpoint/tools/python/index.js'
import { answer, call, type Script } from '../../../src/testing/index.js'
import { expectGenerated } from '../../docs/generated.js'
import { describeWithBubblewrap } from '../../support/bubblewrap.js'
import { realPython } from '../tools/python/fixtures.js'
import { byName, endpoint } from './endpoint.js'

const CODE = { type: 'code_interpreter' as const, container: { type: 'auto' as const } }
const MESSAGES = { model: 'm', messages: [{ role: 'user', content: 'Go.' }] }

/** A request of each API that lets the model run Python, and the text in a body or in the data of an event. */
const APIS = {
  Responses: {
    path: '/responses',
    body: { model: 'm', input: 'Go.', tools: [CODE] },
    options: {},
    textOf: ({ type, delta, output = [] }: Data) =>
      type === 'response.output_text.delta' ? delta : output.at(-1)?.content?.[0]?.text,
  },
  'Responses with an MCP server': {
    path: '/responses',
    body: {
      model: 'm',
      input: 'Go.',
      tools: [{ type: 'mcp', server_label: 'code_interpreter', require_approval: 'never' }],
    },
    options: {},
    textOf: ({ type, delta, output = [] }: Data) =>
      type === 'response.output_text.delta' ? delta : output.at(-1)?.content?.[0]?.text,
  },
  Chat: {
    path: '/chat/completions',
    body: MESSAGES,
    options: { offered: { tools: [CODE] } },
    textOf: ({ choices = [] }: Data) => choices[0]?.message?.content ?? choices[0]?.delta?.content,
  },
  Messages: {
    path: '/messages',
    body: { ...MESSAGES, max_tokens: 10_000, tools: [{ type: 'code_execution_20250522', name: 'code_execution' }] },
    options: {},
    textOf: ({ delta, content = [] }: Data) => delta?.text ?? content.map(({ text = '' }: Data) => text).join(''),
  },
}

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is what it tests
type Data = { readonly [field: string]: any }

const rows = Object.entries(APIS).flatMap(([name, api]) =>
  [false, true].map((stream) => ({ name, title: `${name}, ${stream ? 'streamed' : 'whole'}`, stream, ...api })),
)

/** What has held, for the table: by the title of a row. */
const held = new Map(rows.map(({ title }) => [title, new Set<string>()]))
const CHECKS = ['ten cells', 'audited', 'a client that leaves', 'two owners'] as const

function rowOf({ name, title, stream }: (typeof rows)[number]): string {
  const cells = CHECKS.map((check) => (held.get(title)?.has(check) ? '✓' : 'no'))
  return `| ${[name, stream ? 'streamed' : 'whole', ...cells].join(' | ')} |`
}

describeWithBubblewrap('Python by every API', () => {
  let python: PythonTool
  beforeAll(async () => {
    python = await realPython()
  })
  afterAll(() => {
    python?.close()
    // Not all have run where some were chosen by name.
    if (ran < rows.length * CHECKS.length) return
    const head =
      '| API | | ten cells share variables | each call is audited | a client that leaves interrupts its cell | a second owner has its own session |'
    expectGenerated('docs/tools.md', 'python', [head, '|---|---|---|---|---|---|', ...rows.map(rowOf)].join('\n'))
  })
  let ran = 0
  afterEach(() => void ran++)

  describe.each(rows)('$title', ({ title, path, body, options, textOf, stream }) => {
    const holds = (check: (typeof CHECKS)[number]): void => void held.get(title)?.add(check)

    /** A server whose model runs these cells, then answers with what it read last. */
    function served(cells: readonly string[], more: Partial<ResponsesAppOptions> = {}) {
      let at = 0
      const script: Script = ({ messages }) => {
        const code = cells[at++]
        return code === undefined ? [answer(messages.at(-1)?.content ?? '')] : [call('python', code)]
      }
      return endpoint(script, { tools: [python], ...(options as object), ...more })
    }

    async function said(made: ReturnType<typeof served>, owner = 'ann', signal?: AbortSignal): Promise<string> {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${owner}` }
      const init = { method: 'POST', headers, body: JSON.stringify({ ...body, stream }), ...(signal && { signal }) }
      const text = await (await made.send(`/v1${path}`, init)).text()
      if (!stream) return textOf(JSON.parse(text)) ?? ''
      const data = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
      return data.map((each) => textOf(each) ?? '').join('')
    }

    test('ten cells in a row share their variables', async () => {
      const cells = ['x = 0', ...Array.from({ length: 8 }, () => 'x += 1'), 'print("sum", x)']
      expect(await said(served(cells))).toBe('sum 8\n')
      holds('ten cells')
    })

    test('each call is audited, with its owner and its outcome', async () => {
      const records: CallRecord[] = []
      await said(
        served(['1 + 1', 'import os; os._exit(1)'], {
          audit: (record) => void records.push(record),
          authorize: byName,
        }),
      )
      expect(records.map(({ owner, outcome }) => [owner, outcome])).toEqual([
        ['ann', 'completed'],
        ['ann', 'failed'],
      ])
      holds('audited')
    })

    test('a client that leaves in the middle of a cell interrupts it', async () => {
      let begun: () => void = () => {}
      const whenBegun = new Promise<void>((resolve) => (begun = resolve))
      let running: Promise<unknown> = Promise.resolve()
      const watched: Tool = {
        answers: (each) => python.answers(each),
        run(each, context) {
          const ran = python.run(each, context)
          running = ran
          begun()
          return ran
        },
      }
      const leaving = new AbortController()
      const asked = said(served(['while True: pass'], { tools: [watched] }), 'ann', leaving.signal)
      await whenBegun
      leaving.abort()
      await expect(running).rejects.toThrow()
      asked.catch(() => {})
      holds('a client that leaves')
    })

    test('a second owner has a session of its own', async () => {
      await said(served(['secret = 1'], { authorize: byName }), 'ann')
      expect(await said(served(['"secret" in globals()'], { authorize: byName }), 'bob')).toBe('False\n')
      holds('two owners')
    })
  })
})
