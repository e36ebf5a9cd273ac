import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../src/index.js'
import { chunk, ends, piece, say, think } from '../engines/sources/chat/chunks.js'
import { type ChatRequest, chatEngine } from '../support/chat-server.js'
import { ClaudeCode, claudeCodePath } from './claude-code.js'
import { codexConfig, playCodex } from './clients/codex.js'
import { runTool } from './scenarios.js'

const COUNTS = { choices: [], usage: { prompt_tokens: 5_000, completion_tokens: 20 } }
const toEnd = { onText: () => {}, signal: new AbortController().signal }

/** The results of tools in a request, in order. */
const resultsIn = ({ messages }: ChatRequest): string[] =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))

const said = (text: string): object[] => [think('All is known.'), say(text), ends('stop'), COUNTS]
/** A call as a server sends it that gives arguments whole, and content before them. */
const called = (name: string, args: object): object[] => [
  think('I look it up.'),
  say('\n\n'),
  chunk({ tool_calls: [{ id: 'a', function: { name, arguments: args } }] }),
  ends('stop'),
  COUNTS,
]

test.each([
  ['HTTP', false],
  ['a WebSocket', true],
])('Codex runs a command with a model of a chat server, over %s', async (_, socket) => {
  const engine = chatEngine([
    called('exec_command', { cmd: './get_weather Oslo' }),
    (request) => said(`It says: ${resultsIn(request).join()}`),
  ])
  const server = await serveResponses({ engine, tokenTable: await loadTokenTable(), port: 0 })
  onTestFinished(() => server.close({ graceMs: 0 }))
  const config = codexConfig(`${server.url}/v1`, { supports_websockets: socket })
  const played = await playCodex(config, toEnd)
  const weather = runTool('get_weather', { city: 'Oslo' })
  expect(played).toMatchObject({ text: [expect.stringContaining(weather)], ending: 'completed' })
  expect(played.calls).toEqual([{ name: 'get_weather', arguments: { city: 'Oslo' } }])
  const [first, second] = engine.asked
  expect(first?.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('sandbox_mode') })
  expect(first?.messages[0].content).not.toMatch(
    /# Tools\n\n## functions|# Valid channels|ChatGPT, a large language model trained/,
  )
  expect(first?.['tools'].length).toBeGreaterThan(1)
  expect(second?.messages.find(({ tool_calls }) => tool_calls)).toMatchObject({
    reasoning_content: 'I look it up.',
    tool_calls: [{ function: { name: 'exec_command', arguments: '{"cmd":"./get_weather Oslo"}' } }],
  })
})

test.skipIf(claudeCodePath() === undefined)(
  'Claude Code runs a command with a model of a chat server',
  { timeout: 120_000 },
  async () => {
    const engine = chatEngine([
      (request) => {
        // It also asks for a title of the conversation, without tools.
        if (!request['tools']) return said('A title')
        if (resultsIn(request).length > 0) return said(`It says: ${resultsIn(request).join()}`)
        const command = JSON.stringify({ command: 'echo 42 > answer.txt && cat answer.txt', description: 'Asks' })
        return [
          think('I run it.'),
          piece(0, command.slice(0, 9), { id: 'a', name: 'Bash' }),
          piece(0, command.slice(9)),
          ends('tool_calls'),
          COUNTS,
        ]
      },
    ])
    const claude = await ClaudeCode.inFrontOf(engine)
    onTestFinished(() => claude.close())
    const { result, is_error } = await claude.ask('What is the answer?', '--allowedTools', 'Bash')
    expect([result, is_error]).toEqual([expect.stringContaining('It says: 42'), false])
    expect(readFileSync(join(claude.folder, 'answer.txt'), 'utf8').trim()).toBe('42')
    expect(new Set(claude.statuses)).toEqual(new Set([200]))
    // Templates refuse a system message after the first, and two messages of one role in a row.
    for (const { messages } of engine.asked) {
      const roles = messages.map(({ role }) => role)
      expect(roles.indexOf('system', 1)).toBe(-1)
      expect(roles.some((role, at) => role === 'user' && roles[at + 1] === 'user')).toBe(false)
    }
  },
)
