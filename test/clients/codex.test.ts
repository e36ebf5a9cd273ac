import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkEvents } from '../../src/conformance/index.js'
import { answer, call, ENGINE_ERROR, modelOf, type Scenario, say, scenario, think, turn } from './scenarios.js'
import { type Exchange, type InputItem, startServer } from './server.js'

const CODEX = fileURLToPath(new URL('node_modules/@openai/codex/bin/codex.js', import.meta.url))

/** What the users of `codex exec --json` see. */
interface Seen {
  readonly messages: readonly string[]
  readonly commands: readonly { readonly command: string; readonly output: string; readonly exit: number }[]
  /** Why the turn failed; undefined where it ended well. */
  readonly failure: string | undefined
  readonly exit: number | null
}

/** The tool with which Codex declares its shell. */
const run = (command: string): string => call('functions.exec_command', JSON.stringify({ cmd: command }))

const plainAnswer = scenario('plain answer', [turn(answer('Take an umbrella. 🌂'))], {})

const preambleAndCall = scenario(
  'preamble and call',
  [turn(think('Ask.'), say('Let me look.'), run('echo from the tool')), turn(think('So.'), answer('It spoke.'))],
  {},
)

const twoCalls = scenario(
  'two calls',
  [turn(run('echo one'), '<|start|>assistant', run('echo two')), turn(answer('Both.'))],
  {},
)

const threeTurns = scenario(
  'three turns',
  [turn(think('First.'), run('echo one')), turn(think('Second.'), run('echo two')), turn(answer('Done.'))],
  {},
)

const truncatedAnswer = scenario(
  'truncated answer',
  [{ tokens: ['<|channel|>final<|message|>Once upon a'], end: { reason: 'max_output_tokens' } }],
  {},
)

const truncatedCall = scenario(
  'truncated call',
  [
    {
      tokens: [' to=functions.exec_command<|channel|>commentary json<|message|>{"cmd":"echo ha'],
      end: { reason: 'max_output_tokens' },
    },
  ],
  {},
)

const failure = scenario('failure', [{ tokens: [think('Well.')], end: 'throws' }], {})

describe('codex exec', { timeout: 120_000 }, () => {
  test('shows an answer, and ends well', async () => {
    const { seen } = await played(plainAnswer)
    expect(seen).toEqual({ messages: ['Take an umbrella. 🌂'], commands: [], failure: undefined, exit: 0 })
  })

  test('shows a preamble, runs the call, and answers with what it printed', async () => {
    const { seen, exchanges } = await played(preambleAndCall)
    expect(seen.messages).toEqual(['Let me look.', 'It spoke.'])
    expect(seen.commands).toMatchObject([{ output: 'from the tool\n', exit: 0 }])
    expect([seen.failure, seen.exit, exchanges.length]).toEqual([undefined, 0, 2])
  })

  test('sends the items of a turn back with their ids, texts and phase, and the output under their call_id', async () => {
    const { exchanges } = await played(preambleAndCall)
    const [first, second] = exchanges
    const done = (first?.events ?? []).flatMap((event) =>
      event.type === 'response.output_item.done' ? [{ ...event.item }] : [],
    )
    const back = itemsOf(second)
    for (const { id, type, ...rest } of done as unknown as InputItem[]) {
      const item = back.find((one) => one['id'] === id)
      expect(item?.type).toBe(type)
      for (const field of ['content', 'summary', 'phase', 'name', 'arguments', 'call_id']) {
        expect([type, field, item?.[field]]).toEqual([type, field, rest[field]])
      }
    }
    expect(done.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call'])
    const callId = done.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []))
    expect(back.filter(({ type }) => type === 'function_call_output').map((item) => item['call_id'])).toEqual(callId)
  })

  test('runs two calls of one response once each', async () => {
    const { seen } = await played(twoCalls)
    expect(seen.commands.map(({ output }) => output).sort()).toEqual(['one\n', 'two\n'])
    expect([seen.messages, seen.failure]).toEqual([['Both.'], undefined])
  })

  test('goes on over three turns', async () => {
    const { seen, exchanges } = await played(threeTurns)
    expect(seen.commands.map(({ output }) => output)).toEqual(['one\n', 'two\n'])
    expect([seen.messages, seen.exit, exchanges.length]).toEqual([['Done.'], 0, 3])
  })

  test('says that an answer was cut off, and fails the turn', async () => {
    const { seen } = await played(truncatedAnswer)
    expect(seen.failure).toContain('max_output_tokens')
    expect(seen.exit).toBe(1)
  })

  test('runs nothing of a call that was cut off', async () => {
    const { seen } = await played(truncatedCall)
    expect(seen.commands).toEqual([])
    expect(seen.failure).toContain('max_output_tokens')
  })

  test('says why a response failed', async () => {
    const { seen } = await played(failure)
    expect([seen.failure?.includes(ENGINE_ERROR), seen.exit]).toEqual([true, 1])
  })
})

const itemsOf = (exchange: Exchange | undefined): readonly InputItem[] => {
  const input = exchange?.body.input
  return typeof input === 'string' || input === undefined ? [] : input
}

/** Plays a scenario with the real binary, and holds what was sent against the profile of Codex. */
async function played(scenario: Scenario): Promise<{ seen: Seen; exchanges: readonly Exchange[] }> {
  const server = await startServer({ plays: [scenario] })
  const home = await mkdtemp(join(tmpdir(), 'codex-'))
  try {
    await writeFile(join(home, 'config.toml'), config(scenario, server.baseURL))
    const seen = await exec(home)
    for (const { events } of server.exchanges) {
      expect(checkEvents(events, { profile: 'client:codex' })).toEqual([])
    }
    return { seen, exchanges: server.exchanges }
  } finally {
    await server.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** No retries: each request is one turn of the scenario. */
const config = (scenario: Scenario, baseURL: string): string => `
model = ${JSON.stringify(modelOf(scenario))}
model_provider = "local"
[model_providers.local]
name = "local"
base_url = ${JSON.stringify(baseURL)}
wire_api = "responses"
requires_openai_auth = false
stream_max_retries = 0
request_max_retries = 0
`

/** Runs the binary in an empty folder with a home of its own. Its commands are the scenario's: they print a word. */
async function exec(home: string): Promise<Seen> {
  const flags = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-C', home]
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, CODEX_HOME: home, NO_PROXY: '127.0.0.1' }
  const child = spawn(process.execPath, [CODEX, 'exec', ...flags, 'Go on.'], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [printed, errors, exit] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ])
  const lines = printed.split('\n').filter((line) => line.startsWith('{'))
  if (lines.length === 0) throw new Error(`codex printed nothing, and said: ${errors}`)
  return seenIn(
    lines.map((line) => JSON.parse(line)),
    exit,
  )
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  return text
}

/** A line of `codex exec --json`. */
interface Line {
  readonly type: string
  readonly error?: { readonly message: string }
  readonly item?: {
    readonly type: string
    readonly text?: string
    readonly command?: string
    readonly aggregated_output?: string
    readonly exit_code?: number
  }
}

function seenIn(lines: readonly Line[], exit: number | null): Seen {
  const items = lines.flatMap(({ type, item }) => (type === 'item.completed' && item !== undefined ? [item] : []))
  return {
    messages: items.flatMap(({ type, text }) => (type === 'agent_message' ? [text ?? ''] : [])),
    commands: items.flatMap(({ type, command = '', aggregated_output: output = '', exit_code = -1 }) =>
      type === 'command_execution' ? [{ command, output, exit: exit_code }] : [],
    ),
    failure: lines.find(({ type }) => type === 'turn.failed')?.error?.message,
    exit,
  }
}
