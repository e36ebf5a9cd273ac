import { describe, expect, test } from 'vitest'
import { loadTokenTable, type ResponseUsage } from '../../src/index.js'
import { mcp } from '../recipients/tools.js'
import { encodeHarmony } from '../support/tokens.js'
import { callTo, createRun, messageOn, type Run, terminal, toolMessage } from './run.js'

const tokenTable = await loadTokenTable()
const request = { tools: [mcp('github')] }

/** How many tokens. */
const count = (harmony: string): number => encodeHarmony(harmony).length

function counting(): Run {
  return createRun({ tokenTable, request })
}

function usageAtEnd(run: Run): ResponseUsage | null {
  return terminal(run.end('stop')).usage
}

function usage(input: number, cached: number, output: number, reasoning: number): ResponseUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}

const THOUGHT = '<|channel|>analysis<|message|>Let me think.<|end|>'
const ANSWER = '<|start|>assistant<|channel|>final<|message|>Hello there!<|return|>'

describe('output tokens', () => {
  test('are all that the model sampled, markers and headers included', () => {
    const run = counting()
    run.push(encodeHarmony(THOUGHT + ANSWER))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(THOUGHT + ANSWER), count(THOUGHT)))
  })

  test('are counted the same however they come', () => {
    const ids = encodeHarmony(THOUGHT + ANSWER)
    const one = counting()
    one.push(...ids)
    const scored = counting()
    scored.push(ids.map((id) => ({ id })))
    const typed = counting()
    typed.push(Uint32Array.from(ids))
    const expected = usage(0, 0, ids.length, count(THOUGHT))
    for (const run of [one, scored, typed]) expect(usageAtEnd(run)).toEqual(expected)
  })

  test('are counted in whatever became of nothing, too', () => {
    const run = counting()
    const junk = [
      ...encodeHarmony('<|channel|>final<|message|>Hi<|message|>'),
      200013,
      300000,
      ...encodeHarmony('<|end|><|end|>'),
    ]
    run.push(junk)
    expect(usageAtEnd(run)).toEqual(usage(0, 0, junk.length, 0))
  })

  test('are none of what the host put into the transcript', () => {
    const run = counting()
    const call = callTo('github.a', '{}<|call|>')
    run.push(encodeHarmony(call))
    const { host } = toolMessage('github.a', 'found')
    run.push({ host: encodeHarmony(String(host)) }, { host: encodeHarmony('<|start|>assistant') })
    const answer = messageOn('final', 'Found.<|return|>')
    run.push(encodeHarmony(answer))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(call) + count(answer), 0))
  })

  test('are counted in a message that the model wrote for somebody else, unless it is trusted', () => {
    const call = callTo('github.a', '{}<|call|>')
    const made = `<|start|>github.a to=assistant<|channel|>commentary<|message|>found<|end|>`
    const answer = `<|start|>assistant${messageOn('final', 'Found.<|return|>')}`
    for (const [trustToolMessages, sampled] of [
      [false, call + made + answer],
      [true, call + answer],
    ] as const) {
      const run = createRun({ tokenTable, request, trustToolMessages })
      run.push(encodeHarmony(call + made + answer))
      expect(usageAtEnd(run)).toEqual(usage(0, 0, count(sampled), 0))
    }
  })

  test('of a trusted message that has no end stop where the next one begins', () => {
    const call = callTo('github.a', '{}<|call|>')
    const made = `<|start|>github.a to=assistant<|channel|>commentary<|message|>found`
    const answer = `<|start|>assistant${messageOn('final', 'Found.<|return|>')}`
    const run = createRun({ tokenTable, request, trustToolMessages: true })
    run.push(encodeHarmony(call + made + answer))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(call + answer), 0))
  })
})

describe('reasoning tokens', () => {
  test.each([
    ['a call on the analysis channel is none', '<|channel|>analysis to=github.a<|message|>{}<|call|>', 0],
    ['a preamble is none', '<|channel|>commentary<|message|>Hm.<|end|>', 0],
    ['to nobody in particular is to nobody', '<|channel|>analysis to=assistant<|message|>Hm.<|end|>', 'all'],
    ['an empty thought counts', '<|channel|>analysis<|message|><|end|>', 'all'],
    ['a thought that is cut off counts', '<|channel|>analysis<|message|>Hm', 'all'],
  ])('%s', (_, harmony, expected) => {
    const run = counting()
    run.push(encodeHarmony(harmony))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(harmony), expected === 'all' ? count(harmony) : 0))
  })

  test('stop where the next message begins, if nothing ends them', () => {
    const thought = '<|channel|>analysis<|message|>Let me think.'
    const run = counting()
    run.push(encodeHarmony(thought + ANSWER))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(thought + ANSWER), count(thought)))
  })

  test('are none of what was dropped before', () => {
    const run = counting()
    const stray = 'Hello'
    const thought = `<|start|>assistant${THOUGHT}`
    const before = '<|channel|>final<|message|>Hi<|end|>'
    run.push(encodeHarmony(before + stray + thought))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(before + stray + thought), count(thought)))
  })
})

describe('input tokens', () => {
  test('are what the host says, of all turns together', () => {
    const run = createRun({ tokenTable, usage: { inputTokens: 100, cachedTokens: 40 } })
    run.translator.beginTurn({ inputTokens: 150, cachedTokens: 100 })
    run.translator.beginTurn({ inputTokens: 7 })
    run.translator.beginTurn({})
    expect(usageAtEnd(run)).toEqual(usage(257, 140, 0, 0))
  })

  test('may be told when the engine is done', () => {
    const run = counting()
    run.push(encodeHarmony(ANSWER))
    run.translator.addUsage({ inputTokens: 3, cachedTokens: 1 })
    expect(usageAtEnd(run)).toEqual(usage(3, 1, count(ANSWER), 0))
  })

  test('a prefill is neither input nor output: the host counts its prompt', () => {
    const run = counting()
    run.translator.beginTurn({ inputTokens: 10, prefill: encodeHarmony('<|channel|>analysis<|message|>') })
    run.push(encodeHarmony('Hm.<|end|>'))
    expect(usageAtEnd(run)).toEqual(usage(10, 0, count('Hm.<|end|>'), count('Hm.<|end|>')))
  })
})

describe('text input', () => {
  test('has no usage: nobody counted', () => {
    const run = createRun({ usage: { inputTokens: 100 } })
    run.push(ANSWER)
    expect(usageAtEnd(run)).toBeNull()
  })

  test('has what the host counted', () => {
    const run = createRun({ usage: { inputTokens: 100, outputTokens: 8, reasoningTokens: 3 } })
    run.push(ANSWER)
    run.translator.addUsage({ outputTokens: 2, reasoningTokens: 1 })
    expect(usageAtEnd(run)).toEqual(usage(100, 0, 10, 4))
  })

  test('has no reasoning tokens where the host counted none, and never more than output', () => {
    const run = createRun({ usage: { outputTokens: 8 } })
    run.push(THOUGHT)
    expect(usageAtEnd(run)).toEqual(usage(0, 0, 8, 0))
    expect(usageAtEnd(createRun({ usage: { outputTokens: 2, reasoningTokens: 5 } }))).toEqual(usage(0, 0, 2, 2))
  })

  test("among token ids makes the count unknown, unless it is the host's", () => {
    const run = counting()
    run.push(encodeHarmony(THOUGHT), ANSWER)
    expect(usageAtEnd(run)).toBeNull()
    const host = counting()
    host.push(encodeHarmony(ANSWER), { host: '<|start|>assistant' })
    expect(usageAtEnd(host)).toEqual(usage(0, 0, count(ANSWER), 0))
  })

  test('that is empty counts as nothing', () => {
    const run = counting()
    run.push(encodeHarmony(ANSWER), '')
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(ANSWER), 0))
  })
})

describe('when it is shown', () => {
  test('null until the end, then in a completed and in an incomplete response', () => {
    for (const reason of ['stop', 'max_output_tokens'] as const) {
      const run = counting()
      run.push(encodeHarmony(ANSWER))
      expect(run.translator.response.usage).toBeNull()
      expect(terminal(run.end(reason)).usage).toEqual(usage(0, 0, count(ANSWER), 0))
      expect(run.events.slice(0, 2)).toMatchObject([{ response: { usage: null } }, { response: { usage: null } }])
    }
  })

  test('null in a failed one', () => {
    const run = counting()
    run.push(encodeHarmony(ANSWER))
    expect(terminal(run.fail({ message: 'no' })).usage).toBeNull()
  })
})

describe.each<[string, unknown]>([
  ['text', '5'],
  ['NaN', Number.NaN],
  ['a negative number', -1],
  ['a fraction', 1.5],
])('a count that is %s', (_, inputTokens) => {
  const bad = expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option' })

  test('is refused', () => {
    expect(() => createRun({ usage: { inputTokens: inputTokens as number } })).toThrow(bad)
  })

  test('is refused of a turn, too', () => {
    expect(() => createRun().translator.beginTurn({ inputTokens: inputTokens as number })).toThrow(bad)
  })
})
