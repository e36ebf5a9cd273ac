import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createStreamReader, type StreamRead } from '../../../../src/judge/conformance/index.js'
import { runs } from '../../../support/runs.js'

const CREATED = { type: 'response.created', sequence_number: 0 }
const DELTA = { type: 'response.output_text.delta', delta: 'a\nb é 😀' }
const COMPLETED = { type: 'response.completed', sequence_number: 2 }
const EVENTS = [CREATED, DELTA, COMPLETED]

const frame = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const SSE = EVENTS.map(frame).join('')

/** Everything that a reader returns for these pieces. */
function readsOf(pieces: readonly (string | Uint8Array)[], maxEventLength?: number): StreamRead[] {
  const reader = createStreamReader(maxEventLength === undefined ? {} : { maxEventLength })
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

const eventsOf = (reads: readonly StreamRead[]): unknown[] =>
  reads.flatMap((read) => (read.kind === 'event' ? [read.event] : []))

const linesOf = (reads: readonly StreamRead[]): number[] =>
  reads.flatMap((read) => (read.kind === 'event' ? [read.line] : []))

const namesOf = (reads: readonly StreamRead[]): string[] =>
  reads.flatMap((read) => (read.kind === 'format' ? [`${read.format}: ${read.description}`] : []))

const breaksOf = (reads: readonly StreamRead[]): string[] =>
  reads.flatMap((read) => (read.kind === 'broken' ? [`${read.line}: ${read.expected}, not ${read.got}`] : []))

const har = (...answers: { mimeType: string; text?: string; encoding?: string; url?: string }[]): string =>
  JSON.stringify({
    log: {
      version: '1.2',
      entries: answers.map(({ url = 'https://e.com/v1/responses?x=1', ...content }) => ({
        request: { method: 'POST', url },
        response: { status: 200, content },
      })),
    },
  })

const VERBOSE = `* Connected to localhost (::1) port 8000
> POST /v1/responses HTTP/1.1
> Accept: */*
>
} [42 bytes data]
* upload completely sent off
< HTTP/1.1 200 OK
< content-type: text/event-stream
<
{ [5 bytes data]
${SSE}* Connection #0 to host localhost left intact
`

/** Captures of the same events, each with the lines where they stand, and what it is called. */
const CAPTURES: readonly [name: string, text: string, lines: readonly number[], names?: readonly string[]][] = [
  ['frames', SSE, [2, 5, 8]],
  ['frames with CR LF', SSE.replaceAll('\n', '\r\n'), [2, 5, 8]],
  ['frames with CR', SSE.replaceAll('\n', '\r'), [2, 5, 8]],
  [
    'frames with all line ends',
    frame(CREATED) + frame(DELTA).replaceAll('\n', '\r\n') + frame(COMPLETED).replaceAll('\n', '\r'),
    [2, 5, 8],
  ],
  [
    'frames in which data is over several lines',
    EVENTS.map((event) => `${JSON.stringify(event, null, 2).replaceAll(/^/gm, 'data: ')}\n\n`).join(''),
    [1, 6, 11],
  ],
  ['frames with comments, ids and [DONE]', `: hi\n\nretry: 5\nid: 1\n${SSE}data: [DONE]\n\n`, [6, 9, 12]],
  ['frames without blank lines', EVENTS.map((event) => `data: ${JSON.stringify(event)}\n`).join(''), [1, 2, 3]],
  ['named frames without blank lines', SSE.replaceAll('\n\n', '\n'), [2, 4, 6]],
  [
    'frames whose name comes last',
    EVENTS.map((event) => `data: ${JSON.stringify(event)}\nevent: ${event.type}\n\n`).join(''),
    [1, 4, 7],
  ],
  [
    'frames whose JSON goes on without data:',
    EVENTS.map((event) => `data: ${JSON.stringify(event, null, 2)}\n\n`).join(''),
    [1, 6, 11],
  ],
  ['frames after a byte order mark', `\ufeff${SSE}`, [2, 5, 8]],
  ['indented frames', EVENTS.map((event) => `  data: ${JSON.stringify(event)}\n\n`).join(''), [1, 3, 5]],
  ['JSON lines', EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(''), [1, 2, 3]],
  ['JSON lines with blank lines', EVENTS.map((event) => `${JSON.stringify(event)}\r\n\r\n`).join(''), [1, 3, 5]],
  ['JSON without lines', EVENTS.map((event) => JSON.stringify(event)).join(''), [1, 1, 1]],
  ['pretty-printed JSON', EVENTS.map((event) => `${JSON.stringify(event, null, 2)}\n`).join(''), [1, 5, 9]],
  ['an array', JSON.stringify(EVENTS), [1, 1, 1]],
  ['a pretty-printed array', `\n ${JSON.stringify(EVENTS, null, 2)}\n`, [3, 7, 11]],
  [
    'a HAR file',
    har({ mimeType: 'text/html', text: 'no', url: 'https://e.com' }, { mimeType: 'text/event-stream', text: SSE }),
    [2, 5, 8],
    ['har: a HAR file', 'har: entry 2, POST https://e.com/v1/responses'],
  ],
  [
    'a HAR file in base64',
    har({
      mimeType: 'text/event-stream; charset=utf-8',
      text: Buffer.from(SSE).toString('base64'),
      encoding: 'base64',
    }),
    [2, 5, 8],
    ['har: a HAR file', 'har: entry 1, POST https://e.com/v1/responses'],
  ],
  [
    'curl -i',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200\r\ncontent-type: text/event-stream\r\n\r\n${SSE}`,
    [7, 10, 13],
    ['curl: curl -i output, HTTP 200, text/event-stream'],
  ],
  ['curl -v', VERBOSE, [12, 15, 18], ['curl: curl -v output, HTTP 200, text/event-stream']],
]

describe('the same events are read', () => {
  test.each(CAPTURES)('the same events are read of %s', (_, text, lines, names = []) => {
    const reads = readsOf([text])
    expect(eventsOf(reads)).toEqual(EVENTS)
    expect(linesOf(reads)).toEqual(lines)
    expect(namesOf(reads)).toEqual(names)
    expect(breaksOf(reads)).toEqual([])
  })

  test.each(CAPTURES)('the same events are read wherever the input is cut: %s', (_, text) => {
    const whole = readsOf([text])
    const bytes = new TextEncoder().encode(text)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), bytes.length]
        const pieces = cuts.slice(1).map((until, at) => bytes.subarray(cuts[at], until))
        expect(readsOf(pieces)).toEqual(whole)
      }),
      { numRuns: 40 },
    )
    expect(readsOf([...text])).toEqual(whole)
  })

  test.each([
    ['little-endian', Buffer.from(`\ufeff${SSE}`, 'utf16le')],
    ['big-endian', Buffer.from(`\ufeff${SSE}`, 'utf16le').swap16()],
    ['without its mark', Buffer.from(SSE, 'utf16le')],
  ])('the same events are read of UTF-16, %s', (_, bytes) => {
    const reads = readsOf([bytes.subarray(0, 1), bytes.subarray(1, 8), bytes.subarray(8)])
    expect(eventsOf(reads)).toEqual(EVENTS)
    expect(namesOf(reads)).toEqual(['utf-16: UTF-16, as PowerShell writes what it redirects'])
  })

  test('an event is read as soon as its blank line or its last bracket has come', () => {
    const reader = createStreamReader()
    expect(reader.push(frame(CREATED).slice(0, -1))).toEqual([])
    expect(eventsOf(reader.push('\n'))).toEqual([CREATED])
    const lines = createStreamReader()
    expect(eventsOf(lines.push(JSON.stringify(CREATED)))).toEqual([CREATED])
  })

  test('the same events are read of several streams, each of which has a first', () => {
    const reads = readsOf([SSE + SSE])
    expect(reads.flatMap((read) => (read.kind === 'event' ? [read.isFirst] : []))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
    ])
  })
})

describe('input that is not a stream is named', () => {
  test.each<[string | Uint8Array, string]>([
    [
      '{"object":"response","id":"resp_1"}',
      'response: a response that was not streamed (the request lacks "stream": true)',
    ],
    ['{"object":"chat.completion"}', 'chat-completions: an answer of another API (object "chat.completion")'],
    ['HTTP/1.1 401 Unauthorized\r\n\r\n{"error":{"message":"No key"}}', 'error: an error: No key'],
    ['{"object":"error","message":"No model"}', 'error: an error: No model'],
    ['{"detail":[{"msg":"field required"}]}', 'error: an error: field required'],
    ['{"error":"gone"}', 'error: an error: gone'],
    ['<html>\n', 'html: an HTML page'],
    [gzipSync(SSE), 'gzip: gzip'],
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), 'binary: zstd: unpack it first'],
    [Buffer.from([1, 2, 3, 4, 5, 6, 20, 21]), 'binary: binary data'],
    ['HTTP/1.1 200 OK\ncontent-encoding: br\n\n\u0001\u0002', 'binary: a body in br, which curl --compressed unpacks'],
    [har({ mimeType: 'text/event-stream' }), 'har: a HAR file without the body of a stream'],
  ])('input that is not a stream is named: %j', (given, name) => {
    const reads = readsOf([given])
    expect(eventsOf(reads)).toEqual([])
    expect(namesOf(reads)).toContain(name)
  })
})

describe('a value that is not an event does not hide the events after it', () => {
  test.each<[string, string, string[], number]>([
    [
      'a line that was cut off',
      '{"type":"a"}\n{"type":"b","x":"cu\n{"type":"c"}\n',
      ['2: an event as JSON, not "{\\"type\\":\\"b\\",\\"x\\":\\"cu"'],
      2,
    ],
    [
      'a line cut between its fields',
      '{"type":"a"}\n{"type":"b",\n{"type":"c"}\n',
      ['2: an event as JSON, not "{\\"type\\":\\"b\\","'],
      2,
    ],
    [
      'a line of words',
      '{"type":"a"}\nhello {"type":"b"}\n{"type":"c"}\n',
      ['2: an event as JSON, not "hello {\\"type\\":\\"b\\"}"'],
      2,
    ],
    [
      'many lines of words, reported once',
      `{"type":"a"}\n${'hello\n'.repeat(9)}{"type":"c"}\n`,
      ['2: an event as JSON, not "hello"'],
      2,
    ],
    [
      'brackets that do not match',
      '[{"type":"a"},{"type":]},\n{"type":"c"}]',
      ['1: an event as JSON, not "{\\"type\\":"'],
      2,
    ],
    [
      'a frame that the end cut off',
      'data: {"type":"a"}\n\ndata: {"type":"b"',
      ['3: an event as JSON, not "{\\"type\\":\\"b\\""'],
      1,
    ],
    [
      'an array that the end cut off',
      '[{"type":"a"},{"type":"b"',
      ['1: an event as JSON, not "{\\"type\\":\\"b\\""'],
      1,
    ],
  ])('a value that is not an event does not hide the events after it: %s', (_, text, breaks, count) => {
    const reads = readsOf([text])
    expect(breaksOf(reads)).toEqual(breaks)
    expect(eventsOf(reads)).toHaveLength(count)
  })

  test('a value without a type stands in for an event', () => {
    const reads = readsOf(['data: {"type":"a"}\n\ndata: {"a":1}\n\ndata: null\n\n'])
    expect(reads.filter(({ kind }) => kind === 'untyped')).toMatchObject([
      { value: { a: 1 }, line: 3 },
      { value: null, line: 5 },
    ])
  })

  test('nothing after an HTML page is reported, whether it comes with the page or later', () => {
    const page = '<html\n\n{{'
    expect(readsOf([page])).toEqual(readsOf([...page]))
  })

  test('a stream reader never throws, with any input', () => {
    const word = fc.constantFrom(
      'data: ',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '\n',
      '\r',
      '\n\n',
      'event: x',
      '{"type":"a"}',
      'HTTP/1.1 200',
      '* ',
      '\ufeff',
      '\0',
      '<html',
      '[DONE]',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 30 }), (words) => {
        const whole = readsOf([words.join('')])
        expect(readsOf([...words.join('')])).toEqual(whole)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('no capture is too much', () => {
  afterEach(() => void vi.restoreAllMocks())

  /** How many characters are parsed as JSON while pieces are read. */
  function parsedOf(
    pieces: Iterable<string>,
    maxEventLength?: number,
  ): { reads: number; parsed: number; breaks: string[] } {
    const parse = vi.spyOn(JSON, 'parse')
    const reader = createStreamReader(maxEventLength === undefined ? {} : { maxEventLength })
    const breaks: string[] = []
    let reads = 0
    const take = (found: readonly StreamRead[]): void => {
      reads += found.length
      breaks.push(...breaksOf(found))
    }
    for (const piece of pieces) take(reader.push(piece))
    take(reader.end())
    const parsed = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0)
    return { reads, parsed, breaks }
  }

  test('lines that each begin an object, without a blank one, are parsed at most once', () => {
    const { reads, parsed } = parsedOf(['data: {\n'.repeat(200_000)])
    expect(reads).toBeLessThan(10)
    expect(parsed).toBeLessThan(1_600_000)
  })

  test('data over many lines is parsed once', () => {
    const data = JSON.stringify({ type: 'a', list: Array.from({ length: 20_000 }, (_, at) => at) }, null, 1)
    const { reads, parsed } = parsedOf([`${data.replaceAll(/^/gm, 'data: ')}\n\n`])
    expect(reads).toBe(2)
    expect(parsed).toBe(data.length)
  })

  function* times(piece: string, count: number, first = ''): Generator<string> {
    yield first
    for (let at = 0; at < count; at++) yield piece
  }

  test.each([
    ['a line of data', 'data: {"type":"a","x":"'],
    ['a string', '{"type":"a","x":"'],
    ['words', 'hello '],
    ['a list', '{"type":"a","x":['],
  ])('an event that never ends is reported once, and not kept: %s', (_, first) => {
    const { breaks, parsed } = parsedOf(times('1,'.repeat(500), 500, first), 10_000)
    expect(breaks).toEqual([expect.stringMatching(/^1: an event of at most 10000 characters, not /)])
    expect(parsed).toBe(0)
  })

  test('what comes after an event that is too long is read', () => {
    const reads = readsOf([`data: {"type":"a","x":"${'x'.repeat(2000)}"}\n\n`, 'data: {"type":"b"}\n\n'], 1000)
    expect(eventsOf(reads)).toEqual([{ type: 'b' }])
    expect(eventsOf(readsOf([`{"type":"a","x":"${'x'.repeat(2000)}"}\n{"type":"b"}`], 1000))).toEqual([{ type: 'b' }])
  })

  test('JSON that is deep is read, and what is deeper than any event is reported', () => {
    const deep = (depth: number): string => `{"type":"a","x":${'['.repeat(depth)}${']'.repeat(depth)}}\n`
    expect(eventsOf(readsOf([deep(50_000)]))).toHaveLength(1)
    const reads = readsOf([deep(300_000), '{"type":"b"}'])
    expect(breaksOf(reads)[0]).toMatch(/^1: an event with less nesting, not /)
    expect(eventsOf(reads)).toEqual([{ type: 'b' }])
  })

  test('a frame that is deep is read, and one that is deeper than any event is reported', () => {
    const frame = (depth: number, text: string): string =>
      `data: {"type":"a","x":${'['.repeat(depth)}"${text}"${']'.repeat(depth)}}\n\n`
    expect(eventsOf(readsOf([frame(50_000, 'a'.repeat(200_000))]))).toHaveLength(1)
    expect(breaksOf(readsOf([frame(300_000, '')]))[0]).toMatch(/^1: an event with less nesting, not /)
  })

  test('16 MB are read in memory for one piece', () => {
    const piece = frame({ ...DELTA, delta: 'x'.repeat(1000) } as never).repeat(60)
    const reader = createStreamReader()
    const collect = collector()
    const before = collect()
    let count = 0
    for (let read = 0; read < 16_000_000; read += piece.length) count += eventsOf(reader.push(piece)).length
    expect(count).toBeGreaterThan(12_000)
    expect(collect() - before).toBeLessThan(3_000_000)
    expect(reader.end()).toEqual([])
  })
})

/** Collects garbage, and returns how much memory is still held. */
function collector(): () => number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  return () => {
    collect()
    return process.memoryUsage().heapUsed
  }
}

describe('options and pieces', () => {
  test('invalid options and pieces are refused', () => {
    expect(() => createStreamReader({ maxEventLength: 0 })).toThrow(
      'maxEventLength: expected a whole number of UTF-16 code units, of at least 1, got 0',
    )
    expect(() => createStreamReader().push(7 as never)).toThrow(
      'createStreamReader.push: expected text or bytes, got 7',
    )
  })
})
