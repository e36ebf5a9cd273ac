import { describe, expect, test } from 'vitest'
import { parseTokenFixture, readTokenFixture } from '../../../src/engines/sources/token-fixture.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'

const FIXTURE = {
  version: 1,
  name: 'everything',
  origin: 'a test',
  request: { model: 'gpt-oss-20b', tools: [{ type: 'custom', name: 'patch' }], temperature: 0 },
  setup: {
    mcpListings: [
      { serverLabel: 'a', tools: [{ name: 'search', description: null, inputSchema: {}, annotations: {} }] },
      { serverLabel: 'b', error: 'no answer' },
    ],
    approvedCalls: [{ approvalRequestId: 'mcpr_1', serverLabel: 'a', name: 'search', arguments: '{}' }],
    policy: 'agents',
    mcpApproval: 'never',
    reasoning: 'both',
    responseMessages: true,
    citations: true,
  },
  created_at: 1735689600,
  tokens: [
    200005,
    [17196, 200008],
    { id: 976, logprob: -0.5, topLogprobs: [{ id: 976, logprob: -0.5 }] },
    [{ id: 13 }, 13],
    ' text<|end|>',
    { host: [200006, 173781] },
    { host: '<|start|>assistant' },
  ],
  end: { reason: 'stop', usage: { inputTokens: 12, cachedTokens: 8 } },
}

function problem(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    expect(error).toBeInstanceOf(HarmonyResponsesError)
    expect(error).toMatchObject({ code: 'bad_fixture' })
    return (error as Error).message
  }
  throw new Error('expected an error')
}

const problemWith = (changes: object): string => problem(() => parseTokenFixture({ ...FIXTURE, ...changes }))
const problemWithToken = (token: unknown): string => problemWith({ tokens: [200005, token] })

describe('a token fixture', () => {
  test('a token fixture may hold every form of chunk', () => {
    expect(parseTokenFixture(FIXTURE)).toEqual(FIXTURE)
  })

  test('a token fixture needs no more than a version, a name and tokens', () => {
    const least = { version: 1, name: 'least', tokens: [] }
    expect(parseTokenFixture(least)).toEqual(least)
  })

  test('a token fixture may have further keys, which are ignored', () => {
    expect(parseTokenFixture({ ...FIXTURE, text: 'all of it', deltas: [] })).toEqual(FIXTURE)
  })

  test('a token fixture may have been written by an engine that rules tokens out: null is the logarithm of 0', () => {
    const text = JSON.stringify({ ...FIXTURE, tokens: [{ id: 1, logprob: Number.NEGATIVE_INFINITY }] })
    expect(readTokenFixture(text).tokens).toEqual([{ id: 1, logprob: Number.NEGATIVE_INFINITY }])
  })

  test('a token fixture is read from its text, with or without a byte order mark', () => {
    const text = JSON.stringify(FIXTURE, null, 2)
    expect(readTokenFixture(text)).toEqual(FIXTURE)
    expect(readTokenFixture(`\ufeff${text}`)).toEqual(FIXTURE)
  })
})

describe('a value that is not a token fixture', () => {
  const anyChunk = 'expected a token id (a whole number from 0), an array of them, {id, logprob}, text or {host}'

  test.each<[unknown, string]>([
    [5, 'fixture: expected a token fixture, got 5'],
    [null, 'fixture: expected a token fixture, got null'],
    [[1, 2], 'fixture: expected a token fixture, got an array'],
    [{}, 'version: expected 1, got undefined'],
  ])('a value that is not a token fixture is refused: %j', (value, message) => {
    expect(problem(() => parseTokenFixture(value))).toBe(message)
  })

  test.each<[object, string]>([
    [{ version: 2 }, 'version: expected 1, got 2'],
    [{ version: '1' }, 'version: expected 1, got "1"'],
    [{ name: undefined }, 'name: expected a string, got undefined'],
    [
      { setup: [] },
      'setup: expected {policy, mcpApproval, mcpListings, approvedCalls, reasoning, responseMessages, citations}, got an array',
    ],
    [{ setup: { reasoning: 'loud' } }, 'setup.reasoning: expected raw, summary, both or hidden, got "loud"'],
    [{ setup: { policy: 'none' } }, 'setup.policy: expected one of openai, agents, vllm, functions-only, got "none"'],
    [{ setup: { mcpApproval: true } }, 'setup.mcpApproval: expected always or never, got true'],
    [{ setup: { mcpListings: [{}] } }, 'setup.mcpListings[0].serverLabel: expected a string, got undefined'],
    [{ setup: { approvedCalls: 1 } }, 'setup.approvedCalls: expected an array of calls, got 1'],
    [{ setup: { citations: 'yes' } }, 'setup.citations: expected true or false, got "yes"'],
    [{ tokens: '200005' }, 'tokens: expected an array of token chunks, got "200005"'],
    [{ request: [] }, 'request: expected a Responses create request, got an array'],
    [{ request: { tools: [{}] } }, 'request.tools[0].type: expected a string, got undefined'],
    [{ created_at: 'now' }, 'created_at: expected unix seconds, got "now"'],
    [{ end: { reason: 'length' } }, 'end.reason: expected stop, max_output_tokens or content_filter, got "length"'],
    [{ end: { usage: { inputTokens: -1 } } }, 'end.usage.inputTokens: expected a token count, got -1'],
  ])('a key that is wrong is named: %j', (changes, message) => {
    expect(problemWith(changes)).toBe(message)
  })

  test.each<[unknown, string]>([
    [-1, 'tokens[1]: expected a token id (a whole number from 0), got -1'],
    [1.5, `tokens[1]: ${anyChunk}, got 1.5`],
    [true, `tokens[1]: ${anyChunk}, got true`],
    [null, `tokens[1]: ${anyChunk}, got null`],
    [{ hots: [1] }, `tokens[1]: ${anyChunk}, got an object`],
    [[1, 'x'], 'tokens[1][1]: expected a token id (a whole number from 0) or {id, logprob}, got "x"'],
    [{ host: [1, 'x'] }, 'tokens[1].host[1]: expected a token id (a whole number from 0), got "x"'],
    [{ host: 5 }, 'tokens[1].host: expected an array of token ids, text, or {author, text}, got 5'],
    [{ id: 'x' }, 'tokens[1].id: expected a token id (a whole number from 0), got "x"'],
    [{ id: 1, logprob: 'x' }, 'tokens[1].logprob: expected a number, got "x"'],
  ])('a chunk that is wrong is named, as deep as the fault lies: %j', (token, message) => {
    expect(problemWithToken(token)).toBe(message)
  })

  test('invalid JSON is refused with the position of the error', () => {
    expect(problem(() => readTokenFixture('{"version": 1,, }'))).toMatch(/^fixture: expected JSON, .* position 14\b/)
    expect(problem(() => readTokenFixture('{"version": 1, "name": nobody}'))).toMatch(/"name": nobody/)
    expect(problem(() => readTokenFixture('{"version": 1'))).toMatch(/^fixture: expected JSON, got invalid JSON: /)
  })

  test('the message about a text that is no token fixture is one line, with any text', () => {
    for (const text of ['', 'no\njson', '{\n"a":\r\nb\n}', '\u001b[31m', '{"a": "\n"}']) {
      expect(problem(() => readTokenFixture(text))).not.toMatch(/\p{Cc}/u)
    }
  })
})
