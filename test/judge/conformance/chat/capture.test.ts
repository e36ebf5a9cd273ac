import { describe, expect, test } from 'vitest'
import { createCaptureChecker, createReport, createStreamReader } from '../../../../src/judge/conformance/index.js'
import { BASES } from './streams.js'

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const DONE = 'data: [DONE]\n\n'
const sse = (chunks: readonly unknown[]): string => chunks.map(frame).join('') + DONE
const named = (id: string): object[] => BASES.text.map((chunk) => ({ ...chunk, id }))

/** What is found in a capture: its streams, what breaks a rule, and what it is. */
function findings(capture: string): string[] {
  const checker = createCaptureChecker({ profile: 'chat' })
  return [...checker.push(capture), ...checker.end()].flatMap((found) => {
    if (found.kind === 'violation') return [`line ${found.line}: ${found.violation.rule}`]
    if (found.kind === 'end') return [`stream ${found.stream}: ${found.events} chunks`]
    if (found.kind === 'format') return [`${found.format}: ${found.description}`]
    return found.kind === 'broken' ? [`line ${found.line}: broken`] : []
  })
}

describe('accepted requests as chunks:', () => {
  test.each([
    ['server-sent events', sse(BASES.text)],
    ['JSON lines', BASES.text.map((chunk) => `${JSON.stringify(chunk)}\n`).join('')],
    ['a JSON array', JSON.stringify(BASES.text, null, 2)],
  ])('%s', (_name, capture) => {
    expect(findings(capture)).toEqual(['stream 1: 5 chunks'])
  })

  test('a HAR file', () => {
    const content = { mimeType: 'text/event-stream', text: sse(BASES.call) }
    const entry = { request: { method: 'POST', url: 'http://test.invalid/v1/chat/completions' }, response: { content } }
    expect(findings(JSON.stringify({ log: { entries: [entry] } }))).toContain('stream 1: 6 chunks')
  })

  test('what curl -i prints', () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
    expect(findings(head + sse(BASES.text)).slice(1)).toEqual(['stream 1: 5 chunks'])
  })

  test('a chunk without an object, as other servers send it', () => {
    const chunks = BASES.text.map((chunk) => ({ ...chunk, object: undefined }))
    expect(findings(sse(chunks))).toEqual([
      ...[1, 3, 5, 7, 9].map((line) => `line ${line}: chat-chunk-shape`),
      'stream 1: 5 chunks',
    ])
  })
})

describe('several streams in one capture:', () => {
  test('streams are told apart by their ids', () => {
    const both = [...named('a'), ...named('b')]
    expect(findings(sse(named('a')) + sse(named('b')))).toEqual(['stream 1: 5 chunks', 'stream 2: 5 chunks'])
    expect(findings(both.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''))).toEqual([
      'stream 1: 5 chunks',
      'stream 2: 5 chunks',
    ])
  })

  test('a stream whose id changes in the middle is one', () => {
    expect(
      findings(sse([...BASES.text.slice(0, 3), ...BASES.text.slice(3).map((chunk) => ({ ...chunk, id: 'b' }))])),
    ).toEqual(['line 7: chat-one-completion', 'line 9: chat-one-completion', 'stream 1: 5 chunks'])
  })
})

describe('frames:', () => {
  test('a stream without [DONE] is reported, but not one that failed', () => {
    expect(findings(BASES.text.map(frame).join(''))).toEqual(['line 11: chat-done-at-end', 'stream 1: 5 chunks'])
    expect(findings(BASES.failed.map(frame).join(''))).toEqual(['stream 1: 3 chunks'])
  })

  test('what comes after [DONE] is reported', () => {
    const [last] = BASES.text.slice(-1)
    expect(findings(sse(BASES.text.slice(0, -1)) + frame(last))).toEqual([
      'line 11: chat-done-is-last',
      'stream 1: 5 chunks',
    ])
  })

  test('two chunks in one frame, and data that is not JSON, are reported', () => {
    const [first, ...rest] = BASES.text
    expect(findings(`data: ${JSON.stringify(first)}\n${sse(rest)}`)).toEqual([
      'line 2: frames-apart',
      'stream 1: 5 chunks',
    ])
    expect(findings(`data: {"id"\n\n${sse(BASES.text)}`)).toContain('line 1: data-is-json')
  })

  test('event names are not asked for, but one that misleads is reported', () => {
    expect(findings(`event: error\n${sse(BASES.text)}`)).toEqual(['line 2: event-name-misleads', 'stream 1: 5 chunks'])
    expect(findings(`event: chunk\n${sse(BASES.text)}`)).toEqual(['stream 1: 5 chunks'])
  })
})

describe('input that is not a stream of chunks is named:', () => {
  test.each([
    [
      '{"type":"response.created","response":{}}',
      'responses: a stream of the Responses API, not one of Chat Completions (check it with --profile openai)',
    ],
    [
      '{"object":"chat.completion","choices":[]}',
      'chat-completions: a completion that was not streamed (the request lacks "stream": true)',
    ],
    [
      '{"type":"message_start"}',
      'messages: a stream of the Anthropic Messages API, not one of Chat Completions (check it with --profile messages)',
    ],
    ['{"error":{"message":"no"}}', 'error: an error: no'],
    ['{"name":"x"}', 'json: JSON that is not an event: an object with name'],
  ])('%s', (capture, what) => {
    expect(findings(capture)).toEqual([what])
  })

  test('an unknown API of a reader is refused', () => {
    expect(() => createStreamReader({ api: 'completions' as never })).toThrow(
      "api: expected one of 'responses', 'chat'",
    )
  })
})

test('a report groups the violations of all chunks by their cause', () => {
  const checker = createCaptureChecker({ profile: 'chat' })
  const report = createReport()
  const chunks = BASES.text.map((chunk) => ({ ...chunk, created: undefined }))
  for (const found of [...checker.push(sse(chunks)), ...checker.end()]) {
    if (found.kind === 'violation') report.add(found.violation, { line: found.line })
  }
  expect(report.causes()).toMatchObject([
    { lead: { rule: 'chat-chunk-shape', expected: 'created, unix seconds', got: 'nothing', line: 1 }, count: 5 },
  ])
})
