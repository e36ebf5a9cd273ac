import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.js'
import { BASES } from '../judge/conformance/messages/streams.js'
import { fakeIo } from './io.js'

const frame = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
/** Enough for Codex, which reads only these. */
const ITEM = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }
const EVENTS = [
  { type: 'response.created', response: { id: 'resp_1' } },
  { type: 'response.output_item.added', output_index: 0, item: ITEM },
  { type: 'response.output_item.done', output_index: 0, item: ITEM },
  { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [ITEM] } },
]
const SSE = EVENTS.map(frame).join('')
const GOOD = 'stream 1: 4 events, 0 violations, 0 warnings (profile client:codex)\n'
const CODEX = ['--profile', 'client:codex']

async function check(files: Readonly<Record<string, string | Uint8Array | Error>>, ...options: string[]) {
  const io = Object.assign(fakeIo(), {
    async *pieces(path: string) {
      const found = files[path] ?? new Error(`ENOENT: no such file or directory, open '${path}'`)
      if (found instanceof Error) throw found
      yield found
    },
  })
  const profile = options.includes('--profile') ? [] : CODEX
  const code = await run(['check', ...Object.keys(files), ...profile, ...options], io)
  return { code, out: io.out, err: io.err }
}

/** A pipe that stays open, and what is printed meanwhile. */
function openPipe() {
  const waiting: ((step: IteratorResult<string>) => void)[] = []
  const listeners: (() => void)[] = []
  const screen = { out: '' }
  const io = Object.assign(fakeIo(), {
    pieces: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(wait) }) }),
    async print(text: string) {
      screen.out += text
      for (const listener of listeners.splice(0)) listener()
    },
  })
  function wait(resolve: (step: never) => void): void {
    waiting.push(resolve as never)
    for (const listener of listeners.splice(0)) listener()
  }
  /** Resolves when the condition is true, which is tested whenever something is printed or awaited. */
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise<void>((resolve) => listeners.push(resolve))
  }
  const next = async (step: IteratorResult<string>): Promise<void> => {
    await until(() => waiting.length > 0)
    waiting.shift()?.(step)
  }
  return {
    io,
    screen,
    until,
    write: (value: string) => next({ done: false, value }),
    close: () => next({ done: true, value: undefined }),
  }
}

describe('standard input is checked as it comes', () => {
  test('a violation is printed at its event, though the server never closes', async () => {
    const { io, screen, write, until } = openPipe()
    void run(['check', '-'], io)
    await write(frame({ type: 'response.created' }))
    await write(`data: {"type":"response.output_item.added","output_index":0}\n\n`)
    await until(() => screen.out.includes('item-is-object'))
    expect(screen.out).toContain('error line 4 output_item.added: expected an item, got nothing (item-is-object)')
  })

  test('the end of a response is printed as it comes, and the report when the pipe closes', async () => {
    const { io, screen, write, until, close } = openPipe()
    const code = run(['check', '-', ...CODEX], io)
    await write(SSE.slice(0, 100))
    await write(SSE.slice(100))
    await until(() => screen.out.includes('response.completed'))
    expect(screen.out).toBe('line 11: response.completed after 4 events\n')
    await close()
    expect(await code).toBe(0)
    expect(screen.out).toBe(`line 11: response.completed after 4 events\n${GOOD}`)
  })
})

describe('files', () => {
  test('files are checked one after the other, each under its name', async () => {
    const { code, out } = await check({ a: SSE, b: SSE })
    expect([code, out]).toEqual([0, `a:\n${GOOD}b:\n${GOOD}`])
  })

  test('files that cannot be read do not keep others from being checked', async () => {
    const missing = new Error("ENOENT: no such file or directory, open 'a'")
    const { code, out, err } = await check({ a: missing, b: SSE })
    expect([code, out]).toEqual([2, `b:\n${GOOD}`])
    expect(err).toBe('harmony-responses: cannot read a: no such file or directory\n')
  })

  test('files have a line of JSON each, with their names, and violations with their lines', async () => {
    const { code, out } = await check({ a: SSE, b: SSE.slice(0, -1) }, '--json')
    const [a, b] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(1)
    expect(a).toEqual({
      file: 'a',
      profile: 'client:codex',
      streams: [{ events: 4, errors: 0, warnings: 0, unlisted: 0, causes: [] }],
    })
    expect(b.streams[0].causes).toMatchObject([{ lead: { rule: 'last-frame-ends', line: 12 } }])
  })

  test('files are unpacked if they are gzip, also one that was cut off', async () => {
    const packed = gzipSync(SSE)
    expect(await check({ a: packed })).toMatchObject({ code: 0, out: `read as gzip, unpacked\n${GOOD}` })
    const { out } = await check({ a: packed.subarray(0, -20) })
    expect(out).toContain('read as gzip, unpacked\nstream 1: ')
  })

  test('a file that curl wrote is named as such', async () => {
    const { out } = await check({ a: `HTTP/1.1 200 OK\r\n\r\n${SSE}` })
    expect(out).toBe(`read as curl -i output, HTTP 200\n${GOOD}`)
  })
})

test('a stream that was resumed is checked from where it begins', async () => {
  const fixture = new URL('../../fixtures/plain-answer.events.jsonl', import.meta.url)
  const rest = readFileSync(fixture, 'utf8').trimEnd().split('\n').slice(5).join('\n')
  expect((await check({ a: rest }, '--profile', 'openai')).code).toBe(1)
  const { code, out } = await check({ a: rest }, '--profile', 'openai', '--resumed')
  expect([code, out]).toEqual([0, 'stream 1: 10 events, 0 violations, 0 warnings (profile openai)\n'])
})

describe('a stream of messages', () => {
  const good = BASES.call.map((event) => `event: ${Object(event).type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

  test('a good one is good', async () => {
    const { code, out } = await check({ a: good }, '--profile', 'messages')
    expect([code, out]).toEqual([0, 'stream 1: 7 events, 0 violations, 0 warnings (profile messages)\n'])
  })

  test('a violation names its block, and the rule with its sentence', async () => {
    const { code, out } = await check({ a: good.replace('"name":"get_weather"', '"name":""') }, '--profile', 'messages')
    expect(code).toBe(1)
    expect(out).toContain('line 5, event 1 content_block_start, block 0\n')
    expect(out).toContain('messages-call-named: A call has an id of its own')
  })

  test('other input is named, and --resumed is refused', async () => {
    const err =
      'harmony-responses: a: no Messages stream: a stream of the Responses API, not one of the Messages API (check it with --profile openai)\n'
    expect(await check({ a: SSE }, '--profile', 'messages')).toEqual({ code: 2, out: '', err })
    expect((await check({ a: good }, '--profile', 'messages', '--resumed')).code).toBe(2)
  })
})

describe('a stream of Chat Completions', () => {
  const named = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'gpt-oss' }
  const CALL = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const choices = [
    { index: 0, delta: { role: 'assistant', content: null }, finish_reason: null },
    { index: 0, delta: { tool_calls: [CALL] }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: 'tool_calls' },
  ]
  const chunks = (given: readonly object[]): string =>
    `${given.map((choice) => `data: ${JSON.stringify({ ...named, choices: [choice] })}\n\n`).join('')}data: [DONE]\n\n`

  test('a good one is checked with --profile chat', async () => {
    const { code, out } = await check({ a: chunks(choices) }, '--profile', 'chat')
    expect([code, out]).toEqual([0, 'stream 1: 3 events, 0 violations, 0 warnings (profile chat)\n'])
  })

  test('a violation names its choice and its call, and the rule with its sentence', async () => {
    const nameless = { ...CALL, function: { arguments: '{}' } }
    const damaged = choices.with(1, { index: 0, delta: { tool_calls: [nameless] }, finish_reason: null } as never)
    const { code, out } = await check({ a: chunks(damaged) }, '--profile', 'chat')
    expect(code).toBe(1)
    expect(out).toContain('line 3, event 1 chat.completion.chunk, choice 0, call 0\n')
    expect(out).toContain('expected function.name, got nothing\n')
    expect(out).toContain('chat-call-begins: The first delta of a call has')
  })

  test('other input is named, and --resumed is refused', async () => {
    const err =
      'harmony-responses: a: no Chat Completions stream: a stream of the Responses API, not one of Chat Completions (check it with --profile openai)\n'
    expect(await check({ a: SSE }, '--profile', 'chat')).toEqual({ code: 2, out: '', err })
    const resumed = await check({ a: chunks(choices) }, '--profile', 'chat', '--resumed')
    expect(resumed.code).toBe(2)
    expect(resumed.err).toContain('--resumed is for the Responses API')
  })
})

describe('nothing that came is lost', () => {
  test('nothing that came is lost before a frame that was cut off: it is reported after the report', async () => {
    const { code, out, err } = await check({ a: `${SSE}data: {"type":"resp` })
    expect([code, err]).toEqual([1, ''])
    expect(out).toBe(`${GOOD}bad_stream at line 13: expected an event as JSON, got "{\\"type\\":\\"resp"\n`)
  })

  test('nothing that came is lost before an event without a type', async () => {
    const { code, out } = await check({ a: `${frame({ type: 'response.created' })}data: {"a":1}\n\n${SSE}` })
    // Codex skips an event without a type, and reads on at a beginning that comes again.
    expect([code, out]).toEqual([0, GOOD.replace('4 events', '6 events')])
  })

  test('nothing that came is lost before the file broke off', async () => {
    const io = Object.assign(fakeIo(), {
      async *pieces() {
        yield SSE
        throw new Error('EIO: i/o error, read')
      },
    })
    expect(await run(['check', 'a', ...CODEX], io)).toBe(2)
    expect([io.out, io.err]).toEqual([GOOD, 'harmony-responses: cannot read a: i/o error\n'])
  })

  test('nothing that came is lost of any number of violations: some are shown, and the others counted', async () => {
    const { out } = await check(
      { a: SSE + 'data: {"type":"response.output_item.added"}\n\n'.repeat(500) },
      '--profile',
      'openai',
    )
    expect(out).toMatch(/and \d+ more/)
    expect(out.split('\n').length).toBeLessThan(100)
  })
})

test('the framing of events is reported for server-sent events alone', async () => {
  const unframed = EVENTS.map((event) => `data: ${JSON.stringify(event)}\n`).join('')
  const lines = EVENTS.map((event) => `${JSON.stringify(event)}\n`).join('')
  expect((await check({ a: unframed })).out).toContain('frames-apart: A blank line ends each frame')
  expect((await check({ a: lines })).out).toBe(GOOD)
})

test('a command has a help of its own', async () => {
  const io = fakeIo()
  expect(await run(['check', '--help'], io)).toBe(0)
  expect(io.out).toContain('harmony-responses check FILE...')
  expect(io.out).not.toContain('replay')
})
