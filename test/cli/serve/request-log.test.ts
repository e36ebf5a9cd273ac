import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonLog } from '../../../src/cli/serve/json-log.js'
import { createRequestLog } from '../../../src/cli/serve/request-log.js'
import type { Metric, RequestEnded, ResponseEnded } from '../../../src/endpoint/server/index.js'
import { namedBlock } from '../../docs/pages.js'
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
  owner: 'anonymous',
  code: null,
  param: null,
  session: null,
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
  owner: 'anonymous',
  code: null,
  status: 'completed',
  seconds: 1.2,
  inputTokens: 73,
  cachedTokens: 0,
  outputTokens: 11,
  reasoningTokens: 0,
  unhostedTools: [],
  ...given,
})

test('a request is one line: the request, the result, and the duration', () => {
  expect(logOf({ type: 'request_started', ...REQUEST }, began(), over(), ended())).toBe(
    '12:34:56  POST /v1/responses 200  1.2 s  gpt-oss  73 in, 11 out  resp_1  req_1\n',
  )
})

test('the lines of docs/serve.md are written as it shows them', () => {
  const left = over({ status: 'cancelled', inputTokens: 74, outputTokens: 5, seconds: 3.1 })
  const lines = [
    logOf(began(), over({ inputTokens: 74 }), ended()),
    logOf(began(), ended({ seconds: 3.1, isAborted: true }), left),
    logOf(ended({ status: 400, seconds: 0.001, code: 'invalid_type', param: 'input[0].content', owner: 'ann' })),
    logOf(ended({ method: 'GET', path: '/v1/models', status: 403, seconds: 0.001, code: 'origin_not_allowed' })),
    logOf(began(), over({ inputTokens: 7040, outputTokens: 92, unhostedTools: ['web_search'] }), ended({ seconds: 2 })),
  ]
  const { code } = namedBlock('docs/serve.md', 'log')
  expect(lines.join('')).toBe(code.replace(/\b(resp|req)_\w+…/g, '$1_1').replace(/^\S+/gm, '12:34:56'))
})

test('the line of a request names the tools that nothing runs', () => {
  expect(logOf(began(), over({ unhostedTools: ['web_search', 'image_generation'] }), ended())).toBe(
    '12:34:56  POST /v1/responses 200  1.2 s  gpt-oss  73 in, 11 out  resp_1  without web_search, image_generation  req_1\n',
  )
})

test('a request whose response continues has its line when both have ended', () => {
  const before = logOf(began(), ended())
  expect(before).toBe('')
  expect(logOf(began(), ended({ isAborted: true }), over({ status: 'cancelled' }))).toBe(
    '12:34:56  POST /v1/responses 200  1.2 s  gpt-oss  cancelled  73 in, 11 out  resp_1  the client left  req_1\n',
  )
})

test('a refusal has no tokens, but the error, the owner of the request, and the id that its client sees', () => {
  const refused = ended({ status: 400, seconds: 0.0004, code: 'invalid_type', param: 'input[0].type', owner: 'team-a' })
  expect(logOf({ type: 'request_started', ...REQUEST }, refused)).toBe(
    '12:34:56  POST /v1/responses 400  1 ms  invalid_type  input[0].type  owner team-a  req_1\n',
  )
})

test('a response of a socket has a line of its own', () => {
  const { requestId: _, ...alone } = over()
  expect(logOf(alone)).toBe('12:34:56  socket response.create  1.2 s  gpt-oss  73 in, 11 out  resp_1\n')
})

test('a response that was taken over has a line of its own, and none of a socket', () => {
  const { requestId: _, ...alone } = over()
  const taken: Metric = { type: 'response_taken_over', responseId: 'resp_1', continues: true, reason: null }
  expect(logOf(taken, alone)).toBe(
    '12:34:56  taken over  resp_1  its process stopped; it continues\n12:34:56  response taken over  1.2 s  gpt-oss  73 in, 11 out  resp_1\n',
  )
})

test('probes of health and metrics are not written, unless they fail', () => {
  for (const path of ['/healthz', '/readyz', '/health', '/metrics']) {
    expect(logOf(ended({ route: path, path }))).toBe('')
    expect(logOf(ended({ route: path, path, status: 503 }))).toContain('503')
  }
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
      fc.property(hostile, hostile, hostile, (path, requestedModel, param) => {
        const text = logOf(began(), over({ requestedModel }), ended({ path: `/${path}`, param }))
        expect(text.endsWith('\n')).toBe(true)
        expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        const fields = text.slice(0, -1).split('  ')
        expect([fields.length, fields[0], fields.at(-1)]).toEqual([8, '12:34:56', 'req_1'])
        expect(text.length).toBeLessThan(900)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('the log of JSON', () => {
  const linesOf = (...metrics: readonly Metric[]): Record<string, unknown>[] => {
    let text = ''
    const log = createJsonLog(
      () => '2026-01-31T12:34:56Z',
      (line) => {
        text += line
      },
    )
    for (const metric of metrics) log.take(metric)
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }

  test('the log of JSON has an object a line, with the content of the other log', () => {
    const [line, ...others] = linesOf(began(), over(), ended({ owner: 'team-a' }))
    expect(others).toEqual([])
    expect(line).toMatchObject({ time: '2026-01-31T12:34:56Z', request_id: 'req_1', status: 200, ms: 1234 })
    expect(line).toMatchObject({ owner: 'team-a', response_id: 'resp_1', input_tokens: 73, code: null, param: null })
  })

  test('every line of the log of JSON has the same fields, for a socket and for a refusal, too', () => {
    const { requestId: _, ...alone } = over()
    const lines = linesOf(began(), over(), ended(), alone, ended({ status: 401, owner: null, code: 'invalid_api_key' }))
    expect(lines.map((line) => Object.keys(line))).toEqual(Array(3).fill(Object.keys(lines[0] ?? {})))
    expect(lines.map(({ transport }) => transport)).toEqual(['http', 'websocket', 'http'])
  })

  test('nothing that clients write breaks a line of the log of JSON, or acts on a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (path, param) => {
        const [line, ...others] = linesOf(ended({ path, param }))
        expect(others).toEqual([])
        expect(Object.values(line ?? {}).join('')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
      { numRuns: RUNS },
    )
  })
})

test('what finds no room in the memory has a line that says how much it was, and how much is in use', () => {
  const refused = { type: 'memory_refused', purpose: 'body', isPermanent: false } as const
  expect(logOf({ ...refused, bytes: 42_000_000, usedBytes: 90_123_456, totalBytes: 100_000_000 })).toBe(
    '12:34:56  out of memory  no room for 42.0 MB of a body  90.2 MB of 100.0 MB in use\n',
  )
})
