import { describe, expect, test } from 'vitest'
import { urlCitations } from '../../../src/core/citations/url-citations.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { type TokenChunk, Translator, translate, translateBatches } from '../../../src/index.js'
import { encodeHarmony } from '../../support/tokens.js'
import { fn, mcp } from '../recipients/tools.js'
import { callTo, createRun, FIXED, messageOn, type Run } from './run.js'

/* Mistakes that a caller does not notice: an error that says what to do, or a diagnostic if it may be intended. */

const tokenTable = await loadTokenTable()

describe('an option that means nothing is refused, with the one that was meant:', () => {
  test.each<[object, string]>([
    [{ onDiagnostics: () => {} }, 'there is no option "onDiagnostics", did you mean onDiagnostic?'],
    [{ resoning: 'raw' }, 'there is no option "resoning", did you mean reasoning?'],
    [{ response_id: 'resp_1' }, 'there is no option "response_id", did you mean responseId?'],
    [{ tokentable: {} }, 'there is no option "tokentable", did you mean tokenTable?'],
    [{ mcpListing: [] }, 'there is no option "mcpListing", did you mean mcpListings?'],
    [{ usage: { input_tokens: 5 } }, 'usage: there is no option "usage.input_tokens", did you mean usage.inputTokens?'],
    [{ usage: { output: 5 } }, 'usage: there is no option "usage.output"; it has inputTokens, cachedTokens,'],
    [{ policy: { ...createPolicy(), alias: {} } }, 'there is no option "policy.alias", did you mean policy.aliases?'],
  ])('an option that means nothing is refused, with the one that was meant: %j', (options, message) => {
    const error = expect.objectContaining({
      name: 'HarmonyResponsesError',
      code: 'bad_option',
      message: expect.stringContaining(message),
    })
    expect(() => new Translator({ ...FIXED, ...options })).toThrow(error)
    for (const pull of [translate, translateBatches]) expect(() => pull([], options)).toThrow(error)
  })

  test('an unknown option that is like none is refused with those that there are', () => {
    expect(() => new Translator({ banana: 1 } as object)).toThrow(
      'Translator: there is no option "banana"; it has responseId, clock, ',
    )
  })

  test('an unknown option that is undefined counts as absent', () => {
    expect(() => new Translator({ banana: undefined } as object)).not.toThrow()
  })

  test('an unknown count of a turn is refused with the one that was meant', () => {
    const { translator } = createRun()
    expect(() => translator.beginTurn({ input_tokens: 5 } as object)).toThrow(
      'beginTurn: there is no option "beginTurn.input_tokens", did you mean beginTurn.inputTokens?',
    )
    expect(() => translator.addUsage({ cached_tokens: 5 } as object)).toThrow(
      'addUsage: there is no option "addUsage.cached_tokens", did you mean addUsage.cachedTokens?',
    )
  })
})

describe('an option that is nearly right is refused:', () => {
  test.each<[string, object, string | RegExp]>([
    [
      'a fetch Request as the request',
      { request: new Request('http://localhost/', { method: 'POST', body: '{}' }) },
      'request: expected the parsed body (await request.json()), got Request',
    ],
    ['the text of a request', { request: '{}' }, 'request: expected an object, got "{}"'],
    [
      'urlCitations without its call',
      { citations: urlCitations },
      'citations: expected urlCitations(), got a function',
    ],
    ['Date.now as the clock', { clock: Date.now }, /^clock: expected unix time in seconds, got \d{13}$/],
    [
      'a clock that stands still in infinity',
      { clock: () => Infinity },
      'clock: expected unix time in seconds, got Infinity',
    ],
    ['a clock that returns nothing', { clock: () => undefined }, 'clock: expected unix time in seconds, got undefined'],
    [
      'an infinite count',
      { usage: { inputTokens: Infinity } },
      'usage.inputTokens: expected a whole number of tokens, of at least 0, got Infinity',
    ],
    [
      'a policy with an unknown way',
      { policy: { ...createPolicy(), order: ['function'] } },
      /^policy.order\[0\]: expected one of 'functions', .*got "function"$/,
    ],
    [
      'a policy without an order of ways',
      { policy: { ...createPolicy(), order: 'functions' } },
      /^policy.order: expected an array of functions/,
    ],
    ['a request with a bigint in it', { request: { metadata: { a: 1n } } }, /^request: expected plain JSON data/],
  ])('an option that is nearly right is refused: %s', (_, options, message) => {
    expect(() => new Translator({ ...FIXED, ...(options as object) })).toThrow(
      expect.objectContaining({
        name: 'HarmonyResponsesError',
        code: 'bad_option',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    )
  })
})

test('translate refuses an AbortController as its signal', () => {
  expect(() => translate([], { signal: new AbortController() as never })).toThrow(
    'signal: expected an AbortSignal, got AbortController',
  )
})

function createPolicy() {
  return {
    name: 'mine',
    nonToolRecipients: [],
    order: ['functions'],
    builtins: {},
    aliases: {},
    undeclared: 'function_call',
    mcpApproval: 'always',
  }
}

describe('a value that is not a chunk is refused with its name:', () => {
  test.each<[unknown, string]>([
    [200005n, '200005n'],
    [[1n], '1n'],
    [Buffer.from([1]), 'Buffer'],
    [new Int32Array([1]), 'Int32Array'],
    [{ text: 'Hi' }, 'an object'],
    [Promise.resolve(1), 'Promise'],
    [['200005'], '"200005"'],
    [new Map(), 'Map'],
  ])('a value that is not a chunk is refused with its name: %o', (chunk, got) => {
    expect(() => createRun({ tokenTable }).push(chunk as TokenChunk)).toThrow(
      expect.objectContaining({ code: 'bad_chunk', message: expect.stringMatching(new RegExp(`, got ${got}$`)) }),
    )
  })
})

test('the output of a tool that is not a string is refused by its name', () => {
  const run = createRun({ request: { tools: [mcp('a')] } })
  run.push(callTo('a.b', '{}'), '<|call|>')
  const itemId = run.translator.response.output[0]?.id as string
  expect(() => run.toolResult({ itemId, output: { a: 1 } } as never)).toThrow(
    expect.objectContaining({ code: 'bad_result', message: 'toolResult.output: expected a string, got an object' }),
  )
})

const reported = (run: Run): string[] => run.diagnostics.map(({ code, subject }) => `${code} ${subject}`.trim())

describe('is reported beside the stream:', () => {
  test('ids that are pushed as text are reported beside the stream', () => {
    const run = createRun()
    run.push('200005')
    expect(reported(run)).toContain('spelled_ids 200005')
  })

  test("a number in the model's text is not reported beside the stream", () => {
    const run = createRun()
    run.push('<|channel|>final<|message|>', '200005', '<|return|>')
    run.end('stop')
    expect(reported(run)).toEqual([])
  })

  test.each<[string, TokenChunk]>([
    ['text', 'analysisI think.assistantfinalHello'],
    ['ids', encodeHarmony('analysisI think.assistantfinalHello')],
  ])('an engine that strips special tokens is reported beside the stream: %s', (_, chunk) => {
    const run = createRun({ tokenTable })
    run.push(chunk)
    run.end('stop')
    expect(reported(run)).toContain('missing_markers')
  })

  test('missing markers are not reported if the host began the message that the model continues', () => {
    const run = createRun({ tokenTable })
    run.translator.beginTurn({ prefill: '<|channel|>final<|message|>' })
    run.push(encodeHarmony('Hello'))
    run.end('stop')
    expect(reported(run)).toEqual([])
  })

  test('a model that sampled nothing is reported beside the stream', () => {
    const run = createRun()
    run.end('stop')
    expect(reported(run)).toEqual(['nothing_sampled'])
  })

  test('a model that sampled nothing is not reported if the host inserted the demanded item', () => {
    const run = createRun()
    run.insert({ type: 'compaction', encrypted_content: 'x' })
    run.end('stop')
    expect(reported(run)).toEqual([])
  })

  test('a hosted call that never got its result is reported beside the stream', () => {
    const run = createRun({ request: { tools: [mcp('a')] } })
    run.push(callTo('a.b', '{}'), '<|call|>')
    run.end('stop')
    expect(reported(run)).toEqual(['missing_result mcp_0'])
  })

  test("no missing result is reported for a call that was cut off, or for a function, which is the client's", () => {
    for (const chunks of [[callTo('a.b', '{')], [callTo('functions.f', '{}'), '<|call|>']]) {
      const run = createRun({ request: { tools: [mcp('a'), fn('f')] } })
      run.push(...chunks)
      run.end()
      expect(reported(run)).toEqual([])
    }
  })

  test('a result that came as if the model had sampled it is reported beside the stream', () => {
    const run = createRun({ request: { tools: [mcp('a')] } })
    run.push(callTo('a.b', '{}'), '<|call|>', '<|start|>a.b to=assistant<|channel|>commentary<|message|>42<|end|>')
    expect(run.diagnostics.at(-1)).toMatchObject({ code: 'sampled_result', subject: 'a.b', text: '42' })
    expect(run.translator.response.output).toMatchObject([{ output: null }])
  })

  test('a result of a tool that was never called is reported as made up by the model, not as a mistake', () => {
    const run = createRun({ request: { tools: [mcp('a')] } })
    run.push('<|start|>a.b to=assistant<|channel|>commentary<|message|>42<|end|>')
    expect(reported(run)).toContain('fabricated_message a.b')
  })

  test("a prompt that is counted twice is reported beside the stream, and the engine's count stands", () => {
    const run = createRun({ tokenTable })
    run.translator.beginTurn({ inputTokens: 412, cachedTokens: 380 })
    run.push(encodeHarmony(messageOn('final', 'Hi<|return|>')))
    run.translator.addUsage({ inputTokens: 412 })
    expect(reported(run)).toEqual([])
    run.translator.addUsage({ inputTokens: 415 })
    expect(reported(run)).toEqual(['repeated_count inputTokens'])
    run.end('stop')
    expect(run.translator.response.usage).toMatchObject({
      input_tokens: 415,
      input_tokens_details: { cached_tokens: 380 },
    })
  })
})

test('a generator that was read already fails the response, with that reason', async () => {
  const source = (async function* () {
    yield messageOn('final', 'Hi<|return|>')
  })()
  const errors: unknown[] = []
  const statuses: string[] = []
  for (let time = 0; time < 2; time++) {
    for await (const event of translate(source, { onError: (error) => errors.push(error) })) {
      if ('response' in event) statuses.push(event.response.status)
    }
  }
  expect(statuses).toEqual(['in_progress', 'in_progress', 'completed', 'in_progress', 'in_progress', 'failed'])
  expect(errors).toMatchObject([{ code: 'empty_source' }])
})
