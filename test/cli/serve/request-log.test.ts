import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRequestLog } from '../../../src/cli/serve/request-log.js'
import type { Metric, RequestEnded, ResponseEnded } from '../../../src/server/index.js'
import { RUNS } from '../../support/runs.js'

function logOf(...metrics: readonly Metric[]): string {
  let text = ''
  const log = createRequestLog(
    () => '12:34:56',
    false,
    (line) => {
      text += line
    },
  )
  for (const metric of metrics) log.take(metric)
  return text
}

const REQUEST = { requestId: 'req_1', method: 'POST' }
const ended = (given: Partial<RequestEnded> = {}): RequestEnded => ({
  type: 'request_ended',
  ...REQUEST,
  route: '/v1/responses',
  path: '/v1/responses',
  status: 200,
  seconds: 1.234,
  isAborted: false,
  ...given,
})
const began = (requestId: string | undefined = 'req_1'): Metric => ({
  type: 'response_started',
  responseId: 'resp_1',
  requestId,
  model: 'gpt-oss',
  requestedModel: 'gpt-oss',
  seconds: 0,
})
const over = (given: Partial<ResponseEnded> = {}): ResponseEnded => ({
  type: 'response_ended',
  responseId: 'resp_1',
  requestId: 'req_1',
  model: 'gpt-oss',
  requestedModel: 'gpt-oss',
  status: 'completed',
  seconds: 1.2,
  inputTokens: 73,
  cachedTokens: 0,
  outputTokens: 11,
  reasoningTokens: 0,
  unhostedTools: [],
  ...given,
})

test('a request is one line: what was asked, how it was answered, and what it took', () => {
  expect(logOf({ type: 'request_started', ...REQUEST }, began(), over(), ended())).toBe(
    '12:34:56  POST /v1/responses 200  1.2 s  gpt-oss  73 in, 11 out  resp_1\n',
  )
})

test('the line of a request names the tools that nothing runs', () => {
  expect(logOf(began(), over({ unhostedTools: ['web_search', 'image_generation'] }), ended())).toBe(
    '12:34:56  POST /v1/responses 200  1.2 s  gpt-oss  73 in, 11 out  resp_1  without web_search, image_generation\n',
  )
})

test('a request whose response goes on has its line when both are over', () => {
  const before = logOf(began(), ended())
  expect(before).toBe('')
  expect(logOf(began(), ended({ isAborted: true }), over({ status: 'cancelled' }))).toBe(
    '12:34:56  POST /v1/responses 200  1.2 s  gpt-oss  cancelled  73 in, 11 out  resp_1  the client left\n',
  )
})

test('a refusal has no tokens', () => {
  const refused = ended({ status: 429, seconds: 0.0004 })
  expect(logOf({ type: 'request_started', ...REQUEST }, refused)).toBe('12:34:56  POST /v1/responses 429  1 ms\n')
})

test('a response of a socket has a line of its own', () => {
  const { requestId: _, ...alone } = over()
  expect(logOf(alone)).toBe('12:34:56  socket response.create  1.2 s  gpt-oss  73 in, 11 out  resp_1\n')
})

test('probes of health and metrics are not written, unless they fail', () => {
  expect(logOf(ended({ route: '/healthz', path: '/healthz' }), ended({ route: '/metrics', path: '/metrics' }))).toBe('')
  expect(logOf(ended({ route: '/readyz', path: '/readyz', status: 503 }))).toContain('503')
})

describe('what clients write', () => {
  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\n', '\r', '\u001b[31m', '\u0000', '\u2028', '\u202e', '  ', '\u009b'),
      fc.string(),
    ),
    maxLength: 400,
  })

  test('what clients write is never a line of its own, a field of its own, or anything that a terminal acts on', () => {
    fc.assert(
      fc.property(hostile, hostile, (path, requestedModel) => {
        const text = logOf(began(), over({ requestedModel }), ended({ path: `/${path}` }))
        expect(text.endsWith('\n')).toBe(true)
        expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        const fields = text.slice(0, -1).split('  ')
        expect([fields.length, fields[0], fields.at(-1)]).toEqual([6, '12:34:56', 'resp_1'])
        expect(text.length).toBeLessThan(600)
      }),
      { numRuns: RUNS },
    )
  })
})

test('what finds no room in the memory has a line that says how much it was, and how much is in use', () => {
  const refused = { type: 'memory_refused', purpose: 'body', isForGood: false } as const
  expect(logOf({ ...refused, bytes: 42_000_000, usedBytes: 90_123_456, totalBytes: 100_000_000 })).toBe(
    '12:34:56  out of memory  no room for 42.0 MB of a body  90.2 MB of 100.0 MB in use\n',
  )
})
