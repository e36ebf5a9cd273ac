import { describe, expect, test } from 'vitest'
import type { StreamRead } from '../../../../src/judge/conformance/read/stream-read.js'
import { createStreamReader } from '../../../../src/judge/conformance/read/stream-reader.js'

const EVENTS = [
  { type: 'response.created', response: { id: 'resp_1' } },
  { type: 'response.output_text.delta', delta: 'Grüße 👍' },
  { type: 'response.completed', response: { id: 'resp_1' } },
]

const BODY = `${EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`

const readsOf = (pieces: readonly (string | Uint8Array)[]): StreamRead[] => {
  const reader = createStreamReader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

const eventsOf = (reads: readonly StreamRead[]): unknown[] =>
  reads.flatMap((read) => (read.kind === 'event' ? [read.event] : []))

/** The body in chunks of so many bytes, as it goes over a socket. */
function chunked(bytes: number): Uint8Array {
  const body = Buffer.from(BODY)
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += bytes) {
    const part = body.subarray(at, at + bytes)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'

const inPieces = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))

describe('chunked HTTP', () => {
  test.each([1000, 60, 25])('every event of a raw response in chunks of %i bytes is read', (bytes) => {
    const raw = Buffer.concat([Buffer.from(HEAD), chunked(bytes)])
    for (const size of [raw.length, 7, 1]) {
      const reads = readsOf(inPieces(raw, size))
      expect(eventsOf(reads)).toEqual(EVENTS)
      expect(reads.filter(({ kind }) => kind === 'broken' || kind === 'framing')).toEqual([])
    }
  })

  test('chunks without a head are read, too', () => {
    expect(eventsOf(readsOf([chunked(40)]))).toEqual(EVENTS)
  })

  test('an event in chunks has the line that it has in the file', () => {
    const reads = readsOf([HEAD, ...EVENTS.map((event) => frameOf(event)), '0\r\n\r\n'])
    expect(reads.flatMap((read) => (read.kind === 'event' ? [read.line] : []))).toEqual([6, 10, 14])
  })

  test('a body that curl printed without chunks is read as it is, whatever its head says', () => {
    expect(eventsOf(readsOf([HEAD, BODY]))).toEqual(EVENTS)
  })

  test('text that only looks like the size of a chunk at first is not lost', () => {
    const [broken] = readsOf(['ab']).filter(({ kind }) => kind === 'broken')
    expect(broken).toMatchObject({ got: '"ab"' })
  })
})

const frameOf = (event: object): string => {
  const data = `data: ${JSON.stringify(event)}\n\n`
  return `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`
}

describe('logs of a WebSocket', () => {
  const lines = EVENTS.map((event) => JSON.stringify(event))
  const request = '{"type":"response.create","model":"gpt-oss-20b"}'
  test.each([
    ['wscat', [`> ${request}`, ...lines.map((line) => `< ${line}`)]],
    ['arrows', [`→ ${request}`, ...lines.map((line) => `← ${line}`)]],
    [
      'times',
      [`2026-01-01T10:00:00.123Z SEND ${request}`, ...lines.map((line) => `2026-01-01T10:00:01.5Z RECV ${line}`)],
    ],
    ['brackets', lines.map((line) => `[10:00:01] [server] ${line}`)],
    ['no prefix', [request, ...lines]],
  ])('events are read from lines with %s', (_, log) => {
    const reads = readsOf([`${log.join('\n')}\n`])
    expect(eventsOf(reads)).toEqual(EVENTS)
    expect(reads.filter(({ kind }) => kind === 'broken')).toEqual([])
    expect(reads.filter(({ kind }) => kind === 'format').length).toBeLessThanOrEqual(1)
  })

  test('the messages of a WebSocket in a HAR file are read', () => {
    const messages = [{ type: 'send', data: request }, ...lines.map((data) => ({ type: 'receive', data }))]
    const entry = {
      request: { method: 'GET', url: 'wss://server/v1/responses' },
      response: {},
      _webSocketMessages: messages,
    }
    expect(eventsOf(readsOf([JSON.stringify({ log: { entries: [entry] } })]))).toEqual(EVENTS)
  })
})

describe('input that is not a Responses stream', () => {
  test('a stream of the Anthropic Messages API is named', () => {
    const reads = readsOf([
      'event: message_start\ndata: {"type":"message_start","message":{}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
    ])
    expect(reads).toMatchObject([{ kind: 'format', format: 'messages' }])
  })

  test('a stream of Chat Completions is named', () => {
    const reads = readsOf(['data: {"object":"chat.completion.chunk","choices":[]}\n\ndata: [DONE]\n\n'])
    expect(reads[0]).toMatchObject({ kind: 'format', format: 'chat-completions' })
  })

  test('megabytes without a newline are told as that', () => {
    const [broken] = readsOf(['x'.repeat(2_000_000), 'x'.repeat(1_000_000)])
    expect(broken).toMatchObject({ kind: 'broken', got: expect.stringMatching(/^no newline in 3 MB: "xxx/) })
  })
})
