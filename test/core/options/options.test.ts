import { describe, expect, test } from 'vitest'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import { loadTokenTable, type TokenChunk } from '../../../src/index.js'
import { Translator } from '../../support/translator.js'
import { brief, createRun, FIXED } from '../translate/run.js'

function refusal(code: string, message: string | RegExp): unknown {
  return expect.objectContaining({
    name: 'HarmonyResponsesError',
    code,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })
}

const make = (options: unknown): Translator => new Translator({ ...FIXED, ...(options as Partial<TranslatorOptions>) })

describe('an invalid option is refused with the expected and the actual value', () => {
  test.each<[unknown, string]>([
    [{ responseId: '' }, 'responseId: expected a non-empty string, got ""'],
    [{ responseId: 7 }, 'responseId: expected a non-empty string, got 7'],
    [{ clock: 1700000000 }, 'clock: expected a function, got 1700000000'],
    [{ request: 'x' }, 'request: expected an object, got "x"'],
    [{ request: [] }, 'request: expected an object, got an array'],
    [{ request: null }, 'request: expected an object, got null'],
    [{ request: { tools: {} } }, 'tools: expected an array, got an object'],
    [{ request: { tools: ['f'] } }, 'tools[0].type: expected a string, got undefined'],
    [
      { request: { tools: [{ type: 'custom', name: 'c' }, { type: 'function' }] } },
      'tools[1].name: expected a string, got undefined',
    ],
    [{ request: { tools: [{ type: 'mcp' }] } }, 'tools[0].server_label: expected a string, got undefined'],
    [{ tokenTable: Promise.resolve() }, 'tokenTable: expected await loadTokenTable(), got Promise'],
    [{ ids: 'hex' }, 'ids: expected a function, got "hex"'],
    [{ usage: 5 }, 'usage: expected an object, got 5'],
    [{ calls: 'half' }, "calls: expected 'live' or 'whole', got \"half\""],
    [{ containerId: 5 }, 'containerId: expected a non-empty string, got 5'],
    [{ trustToolMessages: 'yes' }, 'trustToolMessages: expected true or false, got "yes"'],
    [{ responseMessages: 'yes' }, 'responseMessages: expected true or false, got "yes"'],
    [{ store: null }, 'store: expected true or false, got null'],
    [{ onDiagnostic: [] }, 'onDiagnostic: expected a function, got an array'],
    [{ trace: true }, 'trace: expected a function, got true'],
    [{ parser: {} }, 'parser: expected a function, got an object'],
    [{ policy: 'openia' }, 'policy: expected one of openai, agents, vllm, functions-only, or a table, got "openia"'],
    [{ mcpApproval: 'sometimes' }, "mcpApproval: expected 'always' or 'never', got \"sometimes\""],
    [
      { policy: 'constructor' },
      'policy: expected one of openai, agents, vllm, functions-only, or a table, got "constructor"',
    ],
  ])('an invalid option is refused with the expected and the actual value: %o', (options, message) => {
    expect(() => make(options)).toThrow(refusal('bad_option', message))
  })

  test.each<[string, unknown]>([
    ['a request that cannot be copied', { request: { signal: () => {} } }],
    ['an include that is no list', { request: { include: 5 } }],
    ['an include that is text', { request: { include: 'message.output_text.logprobs' } }],
    ['a policy that is half a table', { policy: { name: 'mine' } }],
  ])('an invalid option is refused with the expected and the actual value: %s', (_, options) => {
    expect(() => make(options)).toThrow(refusal('bad_option', /./))
  })

  test('an option that is undefined is not refused', () => {
    const undefineds = { request: undefined, ids: undefined, calls: undefined, policy: undefined, parser: undefined }
    expect(() => make(undefineds)).not.toThrow()
  })

  test('a long text is cut in the message of an error', () => {
    expect(() => make({ calls: 'x'.repeat(1000) })).toThrow(refusal('bad_option', /^.{0,100}$/))
  })
})

describe('an invalid chunk is refused', () => {
  test.each<[string, unknown, string | RegExp]>([
    ['nothing', undefined, 'chunk: expected token ids, { id, logprob }, text or { host }, got undefined'],
    ['null', null, 'chunk: expected token ids, { id, logprob }, text or { host }, got null'],
    ['an object', { text: 'x' }, 'chunk: expected token ids, { id, logprob }, text or { host }, got an object'],
    ['a negative id', -1, /got -1$/],
    ['a fraction', 1.5, /got 1\.5$/],
    ['NaN', Number.NaN, /got NaN$/],
    ['a big integer', 1n, /got 1n$/],
    ['a boolean', true, /got true$/],
    ['bytes', new Uint8Array(1), /got Uint8Array$/],
    ['text among ids', [1, 'x'], /got "x"$/],
    ['an array in an array', [[1]], /./],
    ['a scored token without an id', { logprob: -1 }, /./],
    ['a scored token whose id is text', { id: '1' }, /got an object$/],
    ['text of the host among ids', { host: ['x'] }, /got "x"$/],
    ['a host without text', { host: undefined }, /^host: .* got undefined$/],
    ['scored tokens of the host', { host: [{ id: 1 }] }, /got an object$/],
  ])('an invalid chunk is refused: %s', (_, chunk, message) => {
    const run = createRun()
    expect(() => run.push(chunk as TokenChunk)).toThrow(refusal('bad_chunk', message))
  })

  test('an invalid list of tokens is refused as a whole', () => {
    const run = createRun()
    run.push('<|channel|>final<|message|>')
    expect(() => run.push([200002, -1])).toThrow(refusal('bad_chunk', /got -1$/))
    expect(() => run.push({ host: [200002, -1] })).toThrow(refusal('bad_chunk', /got -1$/))
    expect(brief(run.push('Hi'))).toEqual(['output_text.delta 0 "Hi"'])
  })

  test('an invalid chunk is refused, and the translator continues', () => {
    const run = createRun()
    expect(() => run.push(null as never)).toThrow()
    expect(brief(run.push('<|channel|>final<|message|>Hi'))[0]).toBe('created')
  })

  test('an id outside the vocabulary is the model’s mistake, and is not refused', async () => {
    const run = createRun({ tokenTable: await loadTokenTable() })
    run.push(201088, 4_000_000_000)
    expect(run.diagnostics).toMatchObject([{ code: 'unknown_token' }, { code: 'unknown_token' }])
  })

  test.each<[string, unknown]>([
    ['a logprob that is text', { id: 0, logprob: '-1' }],
    ['top logprobs that are no list', { id: 0, logprob: -1, topLogprobs: 5 }],
    ['a top logprob without a logprob', { id: 0, logprob: -1, topLogprobs: [{ id: 0 }] }],
  ])('an invalid chunk is refused: %s', async (_, chunk) => {
    const request = { include: ['message.output_text.logprobs'] }
    const run = createRun({ tokenTable: await loadTokenTable(), request })
    run.push('<|channel|>final<|message|>')
    expect(() => run.push(chunk as TokenChunk)).toThrow(refusal('bad_chunk', /./))
  })
})

describe('the token table', () => {
  test('the token table is asked for when an ordinary id comes', () => {
    const run = createRun()
    expect(() => run.push(0)).toThrow(
      refusal('token_table_missing', 'tokenTable: expected await loadTokenTable(), got undefined'),
    )
  })

  test('the token table is not needed for text, nor for markers', () => {
    const run = createRun()
    run.push([200005], 'final', 200008, 'Hi', [200002])
    expect(brief(run.events)).toContain('output_text.delta 0 "Hi"')
  })
})

test('a reason to end that the API does not know is refused', () => {
  expect(() => createRun().end('length' as never)).toThrow(refusal('bad_option', /length/))
})

test('an invalid prefill is refused, and nothing of the turn is taken', () => {
  const run = createRun()
  expect(() => run.translator.beginTurn({ inputTokens: 5, prefill: 7 as never })).toThrow(refusal('bad_chunk', /./))
  expect(run.end().at(-1)).toMatchObject({ response: { usage: { input_tokens: 0 } } })
})
