import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { HarmonyMessage } from '../../src/core/harmony/index.js'
import type { Tool } from '../../src/endpoint/tools/tool.js'
import { answer, call, firstTokens, hang, preamble, type Script, think } from '../../src/testing/index.js'
import { ClaudeCode, claudeCodePath } from './claude-code.js'

let claude: ClaudeCode | undefined
afterEach(async () => {
  await claude?.close()
  claude = undefined
})

const callsIn = (messages: readonly HarmonyMessage[]): number =>
  messages.filter(({ role, recipient }) => role === 'assistant' && recipient !== undefined).length
const hasAsked = (messages: readonly HarmonyMessage[], words: string): boolean =>
  messages.some(({ role, content }) => role === 'user' && content.includes(words))
const toolSaid = (messages: readonly HarmonyMessage[]): string[] =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))

/** A red dot. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
/** One empty page. */
const PDF = [
  '%PDF-1.4',
  '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
  '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj',
  'trailer<</Root 1 0 R/Size 4>>',
  '%%EOF',
  '',
].join('\n')

/** Plays one turn after the other, for any prompt. */
function steps(turns: (folder: string) => Script[]): (folder: () => string) => Script {
  return (folder) => (prompt) => {
    const turn = turns(folder())[callsIn(prompt.messages)] ?? (() => [answer('Done.')])
    return typeof turn === 'function' ? turn(prompt) : (turn as never)
  }
}

/** It answers, and then answers the next question in the same session. */
async function expectGoingOn(claude: ClaudeCode, ...asked: Parameters<ClaudeCode['ask']>): Promise<void> {
  const first = await claude.ask(...asked)
  const second = await claude.ask('Are you there?', '--resume', first.session_id)
  for (const { result, is_error } of [first, second]) expect([result, is_error]).toEqual(['Here I am.', false])
}

/** Each prompt begins with the one before it and the model's output after that. */
function expectSamePrefix({ engine }: ClaudeCode): void {
  const [first, ...others] = engine.calls
  let before = first?.tokens ?? new Uint32Array()
  for (const { tokens, messages } of others) {
    expect(Array.from(tokens.subarray(0, before.length))).toEqual(Array.from(before))
    expect(messages.length).toBeGreaterThan(0)
    before = tokens
  }
}

describe.skipIf(claudeCodePath() === undefined)('Claude Code', () => {
  test('it reads, edits and runs a file, and every prompt begins with the ids of the one before', async () => {
    claude = await ClaudeCode.start(
      steps((folder) => [
        () => [think('Read first.'), call('functions.Read', `{"file_path": "${join(folder, 'hello.mjs')}"}`)],
        () => [
          think('A typo.'),
          preamble('I mend it.'),
          call('functions.Edit', {
            file_path: join(folder, 'hello.mjs'),
            old_string: 'helo',
            new_string: 'hello',
            replace_all: false,
          }),
        ],
        () => [call('functions.Bash', { command: 'node hello.mjs', description: 'Run it' })],
        ({ messages }) => [think('It works.'), answer(`It prints ${messages.at(-1)?.content}.`)],
      ]),
    )
    claude.write('hello.mjs', "console.log('helo')\n")
    const { result, is_error } = await claude.ask('Mend it.', '--allowedTools', 'Read,Edit,Bash')
    expect([result, is_error]).toEqual(['It prints hello.', false])
    expect(readFileSync(join(claude.folder, 'hello.mjs'), 'utf8')).toBe("console.log('hello')\n")
    expectSamePrefix(claude)
    // The prompt contains the call as the model wrote it, with the blank in it.
    const last = claude.engine.calls.at(-1)?.messages ?? []
    expect(last.map(({ content }) => content)).toEqual(
      expect.arrayContaining(['Read first.', expect.stringContaining('{"file_path": "'), 'A typo.', 'I mend it.']),
    )
  })

  test('it runs calls that stand side by side, and their results come in their order', async () => {
    const look = { command: 'echo two', description: 'Say two' }
    claude = await ClaudeCode.start(
      steps((folder) => [
        () => [
          think('Both.'),
          { ...call('functions.Read', { file_path: join(folder, 'one.txt') }), ends: 'end' },
          call('functions.Bash', look),
        ],
        () => [],
        ({ messages }) => [answer(toolSaid(messages).join(' and '))],
      ]),
    )
    claude.write('one.txt', 'one')
    const { result } = await claude.ask('Look.', '--allowedTools', 'Read,Bash')
    expect(result).toMatch(/one.* and two/s)
    expectSamePrefix(claude)
  })

  test('a sub-agent sends its own requests, and its findings are the result of its call', async () => {
    const brief = {
      description: 'Count',
      prompt: 'COUNT the files',
      subagent_type: 'general-purpose',
      run_in_background: false,
    }
    claude = await ClaudeCode.start(() => ({ messages }) => {
      if (hasAsked(messages, 'COUNT the files')) return [think('I count.'), answer('There are 7.')]
      if (callsIn(messages) === 0) return [think('Delegate.'), call('functions.Agent', brief)]
      return [answer(toolSaid(messages).join().includes('There are 7.') ? 'Seven.' : 'Unknown.')]
    })
    expect(await claude.ask('How many?', '--allowedTools', 'Agent')).toMatchObject({ result: 'Seven.' })
  })

  test("it finds a tool of the user's MCP server by its search, and calls it", async () => {
    const server = fileURLToPath(new URL('docs-server.mjs', import.meta.url))
    const mcpServers = { docs: { command: process.execPath, args: [server] } }
    claude = await ClaudeCode.start(
      steps(() => [
        () => [call('functions.ToolSearch', { query: 'select:mcp__docs__lookup', max_results: 3 })],
        () => [call('functions.mcp__docs__lookup', { q: 'life' })],
        ({ messages }) => [answer(toolSaid(messages).at(-1) ?? '')],
      ]),
    )
    const given = ['--mcp-config', JSON.stringify({ mcpServers }), '--strict-mcp-config']
    const { result } = await claude.ask('Look it up.', ...given, '--allowedTools', 'ToolSearch,mcp__docs__lookup')
    expect(result).toBe('life is 42')
    // The tool is taught after the search that found it, not before.
    expectSamePrefix(claude)
    const taught = claude.engine.calls.map(({ messages }) =>
      messages.findIndex(({ role, content }) => role === 'developer' && content.includes('type mcp__docs__lookup = ')),
    )
    const found = claude.engine.calls[1]?.messages.findIndex(({ role }) => role === 'tool') ?? -1
    expect(taught).toEqual([-1, found + 1, found + 1])
  })

  test('its search of the web is run by a tool of the server, and it is shown the results', async () => {
    const searching: Tool = {
      answers: ({ type }) => type === 'web_search_call',
      run: async () => ({ output: 'Otters swim.', sources: [{ url: 'https://example.com/otters' }] }),
    }
    claude = await ClaudeCode.start(
      () =>
        ({ messages }) => {
          const searches = messages[0]?.content.includes('## browser') === true
          if (!searches && callsIn(messages) === 0) return [call('functions.WebSearch', { query: 'otters' })]
          if (!searches) return [answer(toolSaid(messages).at(-1) ?? '')]
          return callsIn(messages) === 0 ? [call('browser.search', { query: 'otters' })] : [answer('They swim.')]
        },
      { tools: [searching] },
    )
    const { result } = await claude.ask('Do otters swim?', '--allowedTools', 'WebSearch')
    expect(result).toContain('https://example.com/otters')
    expect(result).toContain('They swim.')
  })

  test('a turn that is interrupted stops the engine, and its session is resumed, compacted, and continues', async () => {
    let stopped = (): void => {}
    let began = (): void => {}
    const isStopped = new Promise<void>((resolve) => {
      stopped = resolve
    })
    const hasBegun = new Promise<void>((resolve) => {
      began = resolve
    })
    claude = await ClaudeCode.start(() => ({ messages, signal }) => {
      const last = messages.findLast(({ role }) => role === 'user')?.content ?? ''
      if (last.includes('WAIT')) {
        signal.addEventListener('abort', stopped)
        began()
        return [firstTokens(3, [answer('One two three four')]), hang()]
      }
      if (last.includes('<summary>')) return [answer('<summary>They said hello.</summary>')]
      return [answer(hasAsked(messages, 'They said hello.') ? 'After the summary.' : 'Hello.')]
    })
    const session = '11111111-2222-4333-8444-555555555501'
    expect(await claude.ask('Hello', '--session-id', session)).toMatchObject({ result: 'Hello.', session_id: session })
    const waiting = claude.begin('WAIT', '--resume', session)
    await hasBegun
    waiting.interrupt()
    await Promise.all([isStopped, waiting.text])
    expect(await claude.ask('Hello again', '--resume', session)).toMatchObject({ result: 'Hello.' })
    expect(claude.engine.calls.at(-1)?.messages.some(({ content }) => content.includes('interrupted'))).toBe(true)
    expect(await claude.ask('/compact', '--resume', session)).toMatchObject({ is_error: false })
    expect(await claude.ask('And now?', '--resume', session)).toMatchObject({ result: 'After the summary.' })
  })

  test('a session to which an image was attached goes on, after one refusal', async () => {
    claude = await ClaudeCode.start(() => () => [answer('Here I am.')])
    claude.write('dot.png', Buffer.from(PNG, 'base64'))
    await expectGoingOn(claude, 'What is in @dot.png?')
    expect(claude.statuses).toEqual([400, 200, 200])
  })

  test('a session whose user sent a PDF goes on, after one refusal', async () => {
    claude = await ClaudeCode.start(() => () => [answer('Here I am.')])
    const source = { type: 'base64', media_type: 'application/pdf', data: Buffer.from(PDF).toString('base64') }
    await expectGoingOn(claude, [
      { type: 'text', text: 'What is in it?' },
      { type: 'document', source },
    ])
    expect(claude.statuses).toEqual([400, 200, 200])
  })

  describe.each([
    ['an image', 'dot.png', Buffer.from(PNG, 'base64'), '[image]'],
    ['a PDF', 'paper.pdf', PDF, '[file document]'],
  ])('a session in which it read %s', (_, name, content, placeholder) => {
    const reads = steps((folder) => [
      () => [think('Read.'), call('functions.Read', { file_path: join(folder, name) })],
      () => [answer('Here I am.')],
    ])
    const read = [`What is in ${name}?`, '--allowedTools', 'Read'] as const

    test('goes on, and the model reads that there is something', async () => {
      claude = await ClaudeCode.start(reads)
      claude.write(name, content)
      await expectGoingOn(claude, ...read)
      expect(claude.statuses).toEqual([200, 200, 200])
      expect(toolSaid(claude.engine.calls.at(-1)?.messages ?? [])).toEqual([expect.stringContaining(placeholder)])
    })

    test('goes on after one refusal, where the server refuses it in results, too', async () => {
      claude = await ClaudeCode.start(reads, { response: { images: 'refuse' } })
      claude.write(name, content)
      await expectGoingOn(claude, ...read)
      expect(claude.statuses).toEqual([200, 400, 200, 200])
    })
  })

  test('/context counts tokens without asking the model', async () => {
    claude = await ClaudeCode.start(() => () => [answer('Hello.')])
    const { result } = await claude.ask('/context')
    expect(result).toMatch(/System prompt \| [\d.]+k/)
    expect(claude.engine.calls).toEqual([])
  })
})
