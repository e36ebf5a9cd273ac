import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.js'
import type { ResponseStreamEvent, ServedStreamEvent } from '../../src/core/responses/events.js'
import { decodeSse } from '../../src/core/sse/decode.js'
import { encodeHarmony } from '../support/tokens.js'
import { fakeIo } from './io.js'

const fixture = (text: string, more: object = {}): string =>
  JSON.stringify({ version: 1, name: 'greeting', created_at: 1735689600, tokens: encodeHarmony(text), ...more })

const GREETING = fixture('<|channel|>final<|message|>Hi<|return|>')
const CALL = fixture('<|channel|>commentary to=search<|message|>{"q":1}<|call|>')

/** Runs the command line on one file. */
async function replay(text: string | Error, ...options: string[]) {
  const io = fakeIo({ 'a.json': text, '-': text })
  const code = await run(['replay', 'a.json', ...options], io)
  return { code, out: io.out, err: io.err }
}

const eventsOf = (out: string): ResponseStreamEvent[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('replay', () => {
  test('replay prints one event a line', async () => {
    const { code, out, err } = await replay(GREETING)
    const events = eventsOf(out)
    expect([code, err]).toEqual([0, ''])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { created_at: 1735689600 } })
  })

  test('replay reads standard input if the file is -', async () => {
    const io = fakeIo({ '-': GREETING })
    expect(await run(['replay', '-'], io)).toBe(0)
    expect(io.out).toBe((await replay(GREETING)).out)
  })

  test('replay prints the frames that a server would send, and no [DONE]', async () => {
    const { out } = await replay(GREETING, '--format', 'sse')
    const events: ServedStreamEvent[] = []
    for await (const event of decodeSse([out])) events.push(event)
    expect(events).toEqual(eventsOf((await replay(GREETING, '--format', 'jsonl')).out))
    expect(out).not.toContain('[DONE]')
  })

  test('replay prints a timeline', async () => {
    const { out } = await replay(GREETING, '--format=timeline')
    expect(out).toContain("output_text.delta 'Hi'")
  })

  test.each(['jsonl', 'sse', 'timeline'])('replay prints the same bytes for the same file, as %s', async (format) => {
    const once = await replay(GREETING, '--format', format)
    expect((await replay(GREETING, '--format', format)).out).toBe(once.out)
  })

  test('replay gives fixtures of another name other ids', async () => {
    const idOf = async (text: string) =>
      (eventsOf((await replay(text)).out)[0] as { response: { id: string } }).response.id
    const other = fixture('', { name: 'farewell' })
    expect(await idOf(GREETING)).toMatch(/^resp_[0-9a-f]{50}$/)
    expect(await idOf(other)).not.toBe(await idOf(GREETING))
  })

  test('replay has the time 0 if the fixture names none', async () => {
    const { out } = await replay(fixture('', { created_at: undefined }))
    expect(eventsOf(out)[0]).toMatchObject({ response: { created_at: 0 } })
  })

  test('replay reports faults of the tokens in one line, after the events that they produced', async () => {
    const { code, out, err } = await replay(fixture(''))
    expect(eventsOf(out).at(-1)).toMatchObject({ type: 'response.failed' })
    expect(err).toMatch(/^harmony-responses: [^\n]*source: expected chunks[^\n]*\n$/)
    expect(code).toBe(1)
  })

  const THOUGHT = fixture(
    '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>【3†L1】<|return|>',
  )

  test.each([
    ['raw', 'response.reasoning_text.delta'],
    ['summary', 'response.reasoning_summary_text.delta'],
  ])('replay shows reasoning as --reasoning %s asks', async (mode, type) => {
    const types = eventsOf((await replay(THOUGHT, '--reasoning', mode)).out).map((event) => event.type)
    expect(types.filter((each) => /^response\.reasoning_.*delta$/.test(each))).toEqual([type])
  })

  test('replay hides reasoning if it is asked to', async () => {
    const { out } = await replay(THOUGHT, '--reasoning', 'hidden')
    expect(out).not.toContain('Hm')
  })

  test('replay shows reasoning as the fixture asks, if no option overrides it', async () => {
    const hidden = fixture('<|channel|>analysis<|message|>Hm<|end|>', { setup: { reasoning: 'hidden' } })
    expect((await replay(hidden)).out).not.toContain('Hm')
    expect((await replay(hidden, '--reasoning', 'raw')).out).toContain('Hm')
  })

  test('replay turns citation marks into annotations only if it is asked to', async () => {
    const call = '<|channel|>analysis to=browser.open<|message|>{"id":0}<|call|>'
    const page = '<|start|>browser.open to=assistant<|channel|>analysis<|message|>[3] T (https://e.com/x)<|end|>'
    const said = '<|start|>assistant<|channel|>final<|message|>So【3†L1】<|return|>'
    const tokens = [encodeHarmony(call), { host: encodeHarmony(page) }, encodeHarmony(said)]
    const text = fixture('', { request: { tools: [{ type: 'web_search' }] }, tokens })
    expect((await replay(text)).out).not.toContain('annotation.added')
    expect((await replay(text, '--citations')).out).toContain('So ([e.com](https://e.com/x))')
  })

  test.each([
    ['open-responses', 'response.reasoning.delta', '"delta":"'],
    ['vllm', 'response.output_item.added', '"encrypted_content":null'],
  ])('replay words the events as --dialect %s does, in lines and in frames', async (dialect, type, worded) => {
    const lines = (await replay(THOUGHT, '--dialect', dialect)).out.split('\n')
    expect(lines.find((line) => line.includes(`"type":"${type}"`))).toContain(worded)
    const frames = (await replay(THOUGHT, '--dialect', dialect, '--format', 'sse')).out.split('\n\n')
    expect(frames.find((frame) => frame.startsWith(`event: ${type}\n`))).toContain(worded)
  })

  test('replay has no timeline in a dialect', async () => {
    const { code, err } = await replay(THOUGHT, '--dialect', 'vllm', '--format', 'timeline')
    expect([code, err]).toEqual([2, 'harmony-responses: --dialect: expected openai for a timeline, got "vllm"\n'])
  })

  test.each([
    ['--reasoning', 'loud', 'expected one of raw, summary, both, hidden, got "loud"'],
    ['--dialect', 'azure', 'expected one of openai, open-responses, vllm, got "azure"'],
  ])('replay names the values that %s accepts', async (option, given, expected) => {
    const { code, err } = await replay(GREETING, option, given)
    expect([code, err]).toEqual([2, `harmony-responses: ${option}: ${expected}\n`])
  })

  test.each([
    ['openai', 'function_call'],
    ['agents', 'mcp_call'],
    ['vllm', 'mcp_call'],
    ['functions-only', 'function_call'],
  ])('replay follows the policy %s', async (policy, type) => {
    const { out } = await replay(CALL, '--policy', policy)
    expect(eventsOf(out).at(-1)).toMatchObject({ response: { output: [{ type }] } })
  })

  test('replay follows the policy and the approval of the fixture, but the command line takes precedence', async () => {
    const text = fixture('<|channel|>commentary to=github.search<|message|>{}<|call|>', {
      request: { tools: [{ type: 'mcp', server_label: 'github' }] },
      setup: { policy: 'functions-only', mcpApproval: 'never' },
    })
    const last = async (...flags: string[]): Promise<unknown> => eventsOf((await replay(text, ...flags)).out).at(-1)
    expect(await last()).toMatchObject({ response: { output: [{ type: 'function_call' }] } })
    expect(await last('--policy', 'openai')).toMatchObject({ response: { output: [{ type: 'mcp_call' }] } })
  })

  test.each([
    ['live', 1],
    ['whole', 0],
  ])('replay announces calls as --calls %s asks', async (calls, count) => {
    const { out } = await replay(fixture('<|channel|>commentary to=functions.f<|message|>{"q":'), '--calls', calls)
    expect(eventsOf(out).filter(({ type }) => type === 'response.output_item.added')).toHaveLength(count)
  })

  test('replay stops silently when its output is closed', async () => {
    const io = fakeIo({ 'a.json': GREETING }, Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    expect(await run(['replay', 'a.json'], io)).toBe(0)
    expect(io.err).toBe('')
  })
})

describe('check', () => {
  const events = async (): Promise<string> => (await replay(GREETING)).out
  const check = async (text: string | Error, ...options: string[]) => {
    const io = fakeIo({ 'a.jsonl': text, '-': text })
    const code = await run(['check', 'a.jsonl', ...options], io)
    return { code, out: io.out, err: io.err }
  }

  test('check finds nothing wrong with what replay prints', async () => {
    const { code, out, err } = await check(await events())
    expect([code, out, err]).toEqual([0, 'stream 1: 9 events, 0 violations, 0 warnings (profile openai)\n', ''])
  })

  test('check reads standard input, frames, and several streams one after the other', async () => {
    const sse = (await replay(GREETING, '--format', 'sse')).out
    const io = fakeIo({ '-': sse + sse })
    expect(await run(['check', '-'], io)).toBe(0)
    expect(io.out.match(/^stream \d/gm)).toEqual(['stream 1', 'stream 2'])
  })

  test('check reports faults, root cause first, and exits with 1', async () => {
    const damaged = (await events()).replace(
      /"item_id":"[^"]*","output_index":0,"content_index":0,"delta"/,
      '"output_index":0,"content_index":0,"delta"',
    )
    const { code, out } = await check(damaged)
    expect(code).toBe(1)
    expect(out).toBe(
      [
        'stream 1: 9 events, 2 violations, 0 warnings, 1 cause (profile openai)',
        '  error    line 5, event 4 response.output_text.delta, item 0, part 0',
        '           expected an item_id, got nothing',
        '           item-id-present: Every event about an item has an item_id, except the events of shell commands.',
        '           and because of it: 1 more (event-shape)',
        '',
      ].join('\n'),
    )
  })

  test('check does not exit with 1 for warnings alone', async () => {
    const two = fixture(
      '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|>',
    )
    const { code, out } = await check((await replay(two)).out)
    expect([code, out.includes('1 warning')]).toEqual([0, true])
  })

  test('check holds a stream against the profile that it is given', async () => {
    const thought = fixture('<|channel|>analysis<|message|>a<|end|>')
    const { code, out } = await check((await replay(thought)).out, '--profile', 'open-responses')
    expect([code, out.includes('open-responses-event')]).toEqual([1, true])
    const inDialect = (await replay(thought, '--dialect', 'open-responses')).out
    expect((await check(inDialect, '--profile', 'open-responses')).code).toBe(0)
  })

  test('check prints one line of JSON for machines', async () => {
    const { code, out } = await check(await events(), '--json')
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { profile: 'openai', streams: [{ events: 9, errors: 0, warnings: 0, unlisted: 0, causes: [] }] },
    ])
  })

  test.each([
    ['', 'it contains no events'],
    [': keepalive\n\ndata: [DONE]\n\n', 'it contains no events'],
    ['Hello\nthere', 'line 1: expected an event as JSON, got "Hello"'],
    ['<!doctype html><title>502 Bad Gateway</title>', 'an HTML page: 502 Bad Gateway'],
    ['{"error":{"message":"model \\u001b[31mnot\\nfound"}}', 'an error: model [31mnot found'],
    ['{"detail":"Not Found"}', 'an error: Not Found'],
    ['{"name":"x"}', 'JSON that is not an event: an object with name'],
    [
      'data: {"object":"chat.completion.chunk"}\n\ndata: [DONE]\n\n',
      'a Chat Completions stream, not one of the Responses API (check it with --profile chat)',
    ],
  ])('input without a stream is named: %j', async (text, what) => {
    const err = `harmony-responses: a.jsonl: no Responses stream: ${what}\n`
    expect(await check(text)).toEqual({ code: 2, out: '', err })
  })

  test.each<[string | Error, string[], string]>([
    [
      Object.assign(new Error("ENOENT: no such file, open 'a.jsonl'"), { code: 'ENOENT' }),
      [],
      'cannot read a.jsonl: no such file',
    ],
    [
      '',
      ['--profile', 'azure'],
      '--profile: expected one of openai, open-responses, client:openai, client:openai-python, client:ai-sdk, client:openai-agents, client:langchain, client:codex, chat, chat:openai, chat:openai-python, chat:ai-sdk, messages, messages:anthropic, messages:anthropic-python, messages:ai-sdk, messages:langchain, got "azure"',
    ],
  ])('what cannot be checked exits with 2 and one line: %#', async (text, options, message) => {
    expect(await check(text, ...options)).toEqual({ code: 2, out: '', err: `harmony-responses: ${message}\n` })
  })

  test('check stops silently when its output is closed', async () => {
    const io = fakeIo({ 'a.jsonl': await events() }, Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    expect(await run(['check', 'a.jsonl'], io)).toBe(0)
    expect(io.err).toBe('')
  })
})

describe('explain', () => {
  const events = async (): Promise<string> => (await replay(GREETING)).out
  const explain = async (text: string, ...options: string[]) => {
    const io = fakeIo({ 'a.jsonl': text, '-': text })
    const code = await run(['explain', 'a.jsonl', ...options], io)
    return { code, out: io.out, err: io.err }
  }

  test('explain reports what each client makes of each stream, in a line each', async () => {
    const { code, out, err } = await explain((await events()) + (await events()))
    expect([code, err]).toEqual([0, ''])
    const names = ['The openai SDK', 'The openai SDK for Python', 'The AI SDK', 'The Agents SDK', 'LangChain', 'Codex']
    const lines = (number: number) => [`stream ${number}: 9 events`, ...names.map((name) => `  ${name} shows`)]
    expect(out.match(/^(stream.*| {2}.*? shows)/gm)).toEqual([...lines(1), ...lines(2)])
  })

  test('explain reports on a single client', async () => {
    const { code, out } = await explain(await events(), '--client', 'codex')
    expect(code).toBe(0)
    expect(out).toMatch(/^stream 1: 9 events\n {2}Codex shows .*, and ends well\.\n$/)
  })

  test('explain exits with 1 if the client trips, and reports it', async () => {
    const cut = (await events()).split('\n').slice(0, -2).join('\n')
    const { code, out } = await explain(cut, '--client', 'ai-sdk')
    expect([code, out.includes('trips')]).toEqual([1, true])
  })

  test('explain underlines the event at which a client trips, where the terminal has colours', async () => {
    const text = (await events()).replaceAll('response.content_part.added', 'response.content_part.later')
    const screen = { columns: 120, hasColors: true }
    const io = Object.assign(fakeIo({ 'a.jsonl': text }), { screen })
    await run(['explain', 'a.jsonl', '--client', 'openai'], io)
    expect(io.out.replaceAll('\u001b', '^')).toMatch(/trips at \^\[4m\^\[31mevent \d+\^\[39m\^\[24m/)
    expect((await explain(text, '--client', 'openai')).out).not.toContain('\u001b')
  })

  test('explain reports what clients of Chat Completions make of its streams, and of no other client', async () => {
    const named = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'm' }
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ ...named, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    const good = `${chunk({ role: 'assistant', content: 'Hi' })}${chunk({}, 'stop')}data: [DONE]\n\n`
    expect(await explain(good)).toEqual({
      code: 0,
      out:
        'stream 1: 2 chunks\n  The openai SDK shows "Hi", and ends well.\n' +
        '  The openai SDK for Python shows "Hi", and ends well.\n  The AI SDK shows "Hi", and ends well.\n',
      err: '',
    })
    const lost = await explain(chunk({ role: 'assistant', content: 'Hi' }), '--client', 'openai')
    expect([lost.code, lost.out.includes('expected a finish_reason')]).toEqual([1, true])
    const { code, err } = await explain(good, '--client', 'codex')
    expect([code, err]).toEqual([
      2,
      'harmony-responses: a.jsonl: a stream of Chat Completions, which is explained for openai, openai-python and ai-sdk\n',
    ])
  })

  test('explain reports what clients of the Messages API make of its streams, and of no other client', async () => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      usage,
    }
    const stream = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    expect(await explain(stream.join(''))).toEqual({
      code: 0,
      out:
        'stream 1: 6 events\n  The Anthropic SDK shows "Hi", and ends well.\n' +
        '  The Anthropic SDK for Python shows "Hi", and ends well.\n  The AI SDK shows "Hi", and ends well.\n' +
        '  LangChain shows "Hi", and ends well.\n',
      err: '',
    })
    const lost = await explain(stream.slice(0, -1).join(''), '--client', 'anthropic')
    expect([lost.code, lost.out.includes('and throws: expected message_stop')]).toEqual([1, true])
    const { code, err } = await explain(stream.join(''), '--client', 'openai')
    expect([code, err]).toEqual([
      2,
      'harmony-responses: a.jsonl: a stream of the Messages API, which is explained for anthropic, anthropic-python, ai-sdk and langchain\n',
    ])
  })

  test('explain escapes everything in the stream that would move the cursor', async () => {
    const { out } = await explain((await events()).replaceAll('"delta":"', '"delta":"\\u001b[2J'))
    expect(out).not.toContain('\u001b')
  })

  test.each<[string, string[], string]>([
    ['{oh', [], 'a.jsonl: line 1: expected an event as JSON, got "{oh"'],
    [
      '',
      ['--client', 'curl'],
      '--client: expected one of openai, openai-python, ai-sdk, openai-agents, langchain, codex, anthropic, anthropic-python, got "curl"',
    ],
  ])('what cannot be explained exits with 2 and one line: %#', async (text, options, message) => {
    expect(await explain(text, ...options)).toEqual({ code: 2, out: '', err: `harmony-responses: ${message}\n` })
  })
})

describe('--help and --version', () => {
  const help = async (...argv: string[]): Promise<string> => {
    const io = fakeIo()
    expect(await run([...argv, '--help'], io)).toBe(0)
    return io.out
  }

  test('the help names every command, on one screen', async () => {
    const text = await help()
    for (const command of [
      'replay FILE',
      'check FILE...',
      'explain FILE',
      'probe URL',
      'prompt FILE',
      'store ACTION',
      '--help',
      '--version',
    ]) {
      expect(text).toContain(`  ${command}`)
    }
    expect(text.split('\n').length).toBeLessThan(20)
  })

  test.each([
    ['replay', ['--format', '--policy', '--calls', '--reasoning', '--citations', '--dialect']],
    ['check', ['--profile', '--resumed', '--json']],
    ['explain', ['--client']],
    ['probe', ['--model', '--header', '--only', '--profile', '--timeout', '--json', '--report', '--junit']],
    ['prompt', ['--text', '--tokens', '--date', '--images', '--policy', '--history']],
  ])('the help of %s names its options and its exit codes', async (command, options) => {
    const text = await help(command)
    expect([...text.matchAll(/^ {2}(--\w+)/gm)].map(([, option]) => option)).toEqual([...options, '--help'])
    expect(text).toContain('Exit codes: 0 ')
  })

  test.each(['replay', 'check', 'explain', 'probe', 'prompt'])('the help of %s fits 120 columns', async (command) => {
    for (const line of (await help(command)).split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  })

  test('the version is printed alone', async () => {
    const io = fakeIo()
    expect(await run(['--version'], io)).toBe(0)
    expect(io.out).toBe('1.2.3\n')
  })
})

describe('bad usage exits with 2 and one line', () => {
  test.each<[string[], string]>([
    [
      [],
      'expected a command: serve, replay FILE, check FILE..., explain FILE, probe URL, corpus DIR, prompt FILE, store ACTION, completion SHELL (see --help)',
    ],
    [
      ['play', 'a.json'],
      'command: expected one of serve, replay, check, explain, probe, corpus, prompt, store, completion, got "play"',
    ],
    [['replay'], 'replay: expected a file, or - for standard input'],
    [['replay', 'a.json', 'b.json'], 'replay: expected one file, got 2'],
    [['replay', 'a.json', '--fast'], "Unknown option '--fast'"],
    [['replay', 'a.json', '--format'], "Option '--format <value>' argument missing"],
    [['replay', 'a.json', '--help=yes'], "Option '--help' does not take an argument"],
    [['replay', 'a.json', '--format', 'xml'], '--format: expected one of jsonl, sse, timeline, got "xml"'],
    [
      ['replay', 'a.json', '--policy', 'none'],
      '--policy: expected one of openai, agents, vllm, functions-only, got "none"',
    ],
    [['replay', 'a.json', '--calls', 'never'], '--calls: expected one of live, whole, got "never"'],
  ])('bad usage exits with 2 and one line: %j', async (argv, message) => {
    const io = fakeIo({ 'a.json': GREETING })
    expect(await run(argv, io)).toBe(2)
    expect(io).toMatchObject({ out: '', err: `harmony-responses: ${message}\n` })
  })
})

describe('what cannot be read exits with 2 and one line', () => {
  const withFiles = () =>
    Object.assign(fakeIo(), {
      readFile: (path: string) => readFile(path, 'utf8'),
      pieces: (path: string) => createReadStream(path),
    })

  test.each(['replay', 'check'])('a file that is not there exits with 2 and one line: %s', async (command) => {
    const io = withFiles()
    const path = join(tmpdir(), 'no-such-folder', 'no.json')
    expect(await run([command, path], io)).toBe(2)
    expect(io.err).toBe(`harmony-responses: cannot read ${path}: no such file or directory\n`)
  })

  test.each(['replay', 'check'])('a folder cannot be read, which exits with 2 and one line: %s', async (command) => {
    const io = withFiles()
    expect(await run([command, tmpdir()], io)).toBe(2)
    expect(io.err).toMatch(/^harmony-responses: cannot read .+: illegal operation on a directory\n$/)
  })

  test.each(['replay', 'check'])('standard input that breaks off exits with 2 and one line: %s', async (command) => {
    const io = fakeIo({ '-': new Error('gone') })
    expect(await run([command, '-'], io)).toBe(2)
    expect(io.err).toBe('harmony-responses: cannot read standard input: gone\n')
  })
})

describe('a bad fixture exits with 1 and one line', () => {
  test.each<[string, RegExp]>([
    ['{"version": 1,, }', /a\.json: fixture: expected JSON, got invalid JSON: .* position 14/],
    ['no\n\u001b[31mjson', /a\.json: fixture: expected JSON/],
    ['[]', /a\.json: fixture: expected a token fixture, got an array/],
    [fixture('', { tokens: [1, -1] }), /a\.json: tokens\[1\]: expected a token id .*, got -1/],
    [fixture('', { request: { tools: [{ type: 'mcp' }] } }), /a\.json: tools\[0\]\.server_label: expected a string/],
  ])('a bad fixture exits with 1 and one line: %j', async (text, message) => {
    for (const format of ['jsonl', 'timeline']) {
      const { code, out, err } = await replay(text, '--format', format)
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(new RegExp(`^harmony-responses: ${message.source}[^\\p{Cc}]*\\n$`, 'u'))
    }
  })
})
