import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TranslatorOptions } from '../../../src/core/options/options.js'
import { loadTokenTable, type ResponseUsage } from '../../../src/index.js'
import { runs } from '../../support/runs.js'
import { encodeHarmony } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'
import { mcp } from '../recipients/tools.js'
import { callTo, codes, createRun, FIXED, messageOn, type Run, runOf, terminal, toolMessage } from '../translate/run.js'

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
  test('output tokens are all that the model sampled, markers and headers included', () => {
    const run = counting()
    run.push(encodeHarmony(THOUGHT + ANSWER))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(THOUGHT + ANSWER), count(THOUGHT)))
  })

  test('output tokens are counted the same however they come', () => {
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

  test('output tokens are counted in dropped text, too', () => {
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

  test("output tokens exclude the host's tokens in the transcript", () => {
    const run = counting()
    const call = callTo('github.a', '{}<|call|>')
    run.push(encodeHarmony(call))
    const { host } = toolMessage('github.a', 'found')
    run.push({ host: encodeHarmony(String(host)) }, { host: encodeHarmony('<|start|>assistant') })
    const answer = messageOn('final', 'Found.<|return|>')
    run.push(encodeHarmony(answer))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(call) + count(answer), 0))
  })

  test('output tokens are counted in a message that the model wrote for somebody else, unless it is trusted', () => {
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

  test('output tokens of a trusted message that has no end stop where the next one begins', () => {
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
    ['a call on the analysis channel is not reasoning', '<|channel|>analysis to=github.a<|message|>{}<|call|>', 0],
    ['a preamble is not reasoning', '<|channel|>commentary<|message|>Hm.<|end|>', 0],
    ['a message to the assistant is reasoning', '<|channel|>analysis to=assistant<|message|>Hm.<|end|>', 'all'],
    ['an empty thought counts', '<|channel|>analysis<|message|><|end|>', 'all'],
    ['a thought that is cut off counts', '<|channel|>analysis<|message|>Hm', 'all'],
  ])('only reasoning counts as reasoning: %s', (_, harmony, expected) => {
    const run = counting()
    run.push(encodeHarmony(harmony))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(harmony), expected === 'all' ? count(harmony) : 0))
  })

  test('reasoning tokens stop where the next message begins, if nothing ends them', () => {
    const thought = '<|channel|>analysis<|message|>Let me think.'
    const run = counting()
    run.push(encodeHarmony(thought + ANSWER))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(thought + ANSWER), count(thought)))
  })

  test.each([
    ['<|start|>assistant', '<|message|>Let me think about it.<|start|>assistant'],
    ['a channel', '<|message|>Let me think about it.'],
  ])('reasoning tokens of text without a channel stop where %s begins the next message', (_, thought) => {
    const next = messageOn('final', 'Yes.<|return|>')
    const run = counting()
    run.push(encodeHarmony(thought + next))
    const own = count('<|message|>Let me think about it.')
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(thought + next), own))
  })

  test('reasoning tokens exclude tokens that were dropped before', () => {
    const run = counting()
    const stray = 'Hello'
    const thought = `<|start|>assistant${THOUGHT}`
    const before = '<|channel|>final<|message|>Hi<|end|>'
    run.push(encodeHarmony(before + stray + thought))
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(before + stray + thought), count(thought)))
  })
})

describe('input tokens', () => {
  const SAID = messageOn('final', 'Hello there!<|return|>')

  test("input tokens are the host's counts, summed over all turns", () => {
    const run = createRun({ tokenTable, usage: { inputTokens: 100, cachedTokens: 40 } })
    run.push(encodeHarmony(SAID))
    run.translator.beginTurn({ inputTokens: 150, cachedTokens: 100 })
    run.push(encodeHarmony(SAID))
    run.translator.beginTurn({ inputTokens: 7 })
    run.push(encodeHarmony(SAID))
    run.translator.beginTurn({})
    expect(usageAtEnd(run)).toEqual(usage(257, 140, 3 * count(SAID), 0))
    expect(run.diagnostics).toEqual([])
  })

  test("input tokens of one turn are the host's last count, with a diagnostic if the number differs", () => {
    const run = createRun({ tokenTable, usage: { inputTokens: 100, cachedTokens: 40 } })
    run.translator.beginTurn({ inputTokens: 150, cachedTokens: 100 })
    run.translator.addUsage({ inputTokens: 150, cachedTokens: 120 })
    run.push(encodeHarmony(SAID))
    expect(run.diagnostics).toEqual([{ code: 'repeated_count', subject: 'inputTokens', index: -1 }])
    run.translator.addUsage({ inputTokens: 160, cachedTokens: 130 })
    expect(codes(run.diagnostics)).toEqual(['repeated_count', 'repeated_count'])
    expect(usageAtEnd(run)).toEqual(usage(160, 130, count(SAID), 0))
  })

  test('input tokens stay if the host continues to report other counts of the turn', () => {
    const run = createRun({ tokenTable, usage: { inputTokens: 100, cachedTokens: 40 } })
    run.push(encodeHarmony(SAID))
    run.translator.addUsage({ outputTokens: 9 })
    expect(usageAtEnd(run)).toEqual(usage(100, 40, 9, 0))
    expect(run.diagnostics).toEqual([])
  })

  test('input tokens may be reported when the engine is done', () => {
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
  test('text input has no usage, because no tokens were counted', () => {
    const run = createRun({ usage: { inputTokens: 100 } })
    run.push(ANSWER)
    expect(usageAtEnd(run)).toBeNull()
  })

  test("text input has the host's counts", () => {
    const run = createRun({ usage: { inputTokens: 100, outputTokens: 8, reasoningTokens: 3 } })
    run.push(ANSWER)
    run.translator.addUsage({ outputTokens: 2, reasoningTokens: 1 })
    expect(usageAtEnd(run)).toEqual(usage(100, 0, 10, 4))
  })

  test('text input has no reasoning tokens if the host counted none, and never more than output', () => {
    const run = createRun({ usage: { outputTokens: 8 } })
    run.push(THOUGHT)
    expect(usageAtEnd(run)).toEqual(usage(0, 0, 8, 0))
    expect(usageAtEnd(createRun({ usage: { outputTokens: 2, reasoningTokens: 5 } }))).toEqual(usage(0, 0, 2, 2))
  })

  test("text input among token ids makes the count unknown, unless it is the host's", () => {
    const run = counting()
    run.push(encodeHarmony(THOUGHT), ANSWER)
    expect(usageAtEnd(run)).toBeNull()
    const host = counting()
    host.push(encodeHarmony(ANSWER), { host: '<|start|>assistant' })
    expect(usageAtEnd(host)).toEqual(usage(0, 0, count(ANSWER), 0))
  })

  test('text input that is empty counts as nothing', () => {
    const run = counting()
    run.push(encodeHarmony(ANSWER), '')
    expect(usageAtEnd(run)).toEqual(usage(0, 0, count(ANSWER), 0))
  })
})

describe('when it is shown', () => {
  test('usage is null until the end, then shown in a completed and in an incomplete response', () => {
    for (const reason of ['stop', 'max_output_tokens'] as const) {
      const run = counting()
      run.push(encodeHarmony(ANSWER))
      expect(run.translator.response.usage).toBeNull()
      expect(terminal(run.end(reason)).usage).toEqual(usage(0, 0, count(ANSWER), 0))
      expect(run.events.slice(0, 2)).toMatchObject([{ response: { usage: null } }, { response: { usage: null } }])
    }
  })

  test('usage is null in a failed response', () => {
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

  test('a count that is no whole number of tokens is refused', () => {
    expect(() => createRun({ usage: { inputTokens: inputTokens as number } })).toThrow(bad)
  })

  test('a count of a turn that is no whole number of tokens is refused, too', () => {
    expect(() => createRun().translator.beginTurn({ inputTokens: inputTokens as number })).toThrow(bad)
  })
})

describe('usage by turn', () => {
  const CALL = callTo('github.a', '{}<|call|>')
  const FINAL = messageOn('final', 'Found it.<|return|>')
  const FOUND = String(toolMessage('github.a', 'found').host)

  function byTurn(options: Partial<TranslatorOptions> = {}): Run {
    return createRun({ tokenTable, request, usageByTurn: true, ...options })
  }

  /** The usage of each turn. */
  interface Turns {
    input: number[]
    cached: number[]
    output: number[]
    tools: number[]
  }

  function turnsOf(usage: ResponseUsage | null): Turns {
    const { input_tokens_details: input, output_tokens_details: output } = usage as ResponseUsage
    return {
      input: input.input_tokens_per_turn ?? [],
      cached: input.cached_tokens_per_turn ?? [],
      output: output.output_tokens_per_turn ?? [],
      tools: output.tool_output_tokens_per_turn ?? [],
    }
  }

  test("usage by turn has the counts of each model call, and of the tools' results between them", () => {
    const call = count(CALL)
    const final = count(FINAL)
    const run = byTurn()
    run.translator.beginTurn({ inputTokens: 100, cachedTokens: 10 })
    run.push(encodeHarmony(CALL), { host: encodeHarmony(FOUND) })
    run.translator.beginTurn({ inputTokens: 100 + call + 7, cachedTokens: 90 })
    run.push(encodeHarmony(FINAL))
    expect(usageAtEnd(run)).toEqual({
      input_tokens: 200 + call + 7,
      input_tokens_details: {
        cached_tokens: 100,
        cache_write_tokens: 0,
        input_tokens_per_turn: [100, 100 + call + 7],
        cached_tokens_per_turn: [10, 90],
      },
      output_tokens: call + final,
      output_tokens_details: {
        reasoning_tokens: 0,
        tool_output_tokens: 7,
        output_tokens_per_turn: [call, final],
        tool_output_tokens_per_turn: [0, 7],
      },
      total_tokens: 200 + call + 7 + call + final,
    })
  })

  test('usage by turn has one turn if the model was called once', () => {
    const run = byTurn({ usage: { inputTokens: 9, cachedTokens: 4 } })
    run.push(encodeHarmony(ANSWER))
    expect(turnsOf(usageAtEnd(run))).toEqual({ input: [9], cached: [4], output: [count(ANSWER)], tools: [0] })
  })

  test('usage by turn is absent if the host does not ask for it', () => {
    for (const usageByTurn of [undefined, false] as const) {
      const run = createRun({ tokenTable, request, ...(usageByTurn === undefined ? {} : { usageByTurn }) })
      run.translator.beginTurn({ inputTokens: 5 })
      run.push(encodeHarmony(ANSWER))
      expect(usageAtEnd(run)).toEqual(usage(5, 0, count(ANSWER), 0))
    }
  })

  test('usage by turn begins a turn at tokens of the host in the stream', () => {
    const run = byTurn({ usage: { inputTokens: 100 } })
    run.push(encodeHarmony(CALL), { host: encodeHarmony(`${FOUND}<|start|>assistant`) })
    run.translator.addUsage({ inputTokens: 150, cachedTokens: 100 })
    run.push(encodeHarmony(FINAL))
    expect(turnsOf(usageAtEnd(run))).toEqual({
      input: [100, 150],
      cached: [0, 100],
      output: [count(CALL), count(FINAL)],
      tools: [0, 50 - count(CALL)],
    })
  })

  test('usage by turn begins only one turn, in however many pieces the host writes', () => {
    const run = byTurn({ usage: { inputTokens: 100 } })
    run.push(encodeHarmony(CALL))
    for (const id of encodeHarmony(FOUND)) run.push({ host: [id] })
    run.push({ host: FOUND })
    run.translator.beginTurn({ inputTokens: 120 })
    run.translator.beginTurn({ inputTokens: 3 })
    run.push(encodeHarmony(FINAL))
    expect(turnsOf(usageAtEnd(run))).toMatchObject({ input: [100, 3], output: [count(CALL), count(FINAL)] })
  })

  test('usage by turn begins no turn before the model has written: a prompt belongs to the first call', () => {
    const run = byTurn({ usage: { inputTokens: 1 } })
    run.push({ host: encodeHarmony('<|start|>user<|message|>Hi<|end|><|start|>assistant') })
    run.translator.beginTurn({ inputTokens: 2 })
    run.push(encodeHarmony(FINAL))
    expect(turnsOf(usageAtEnd(run))).toMatchObject({ input: [2], output: [count(FINAL)] })
  })

  test('usage by turn counts no prefill, and a turn that it is in like any other', () => {
    const run = byTurn()
    run.push(encodeHarmony(CALL))
    run.translator.beginTurn({ inputTokens: 50, prefill: encodeHarmony('<|channel|>final<|message|>') })
    run.push(encodeHarmony('Hi<|return|>'))
    expect(turnsOf(usageAtEnd(run))).toMatchObject({ input: [0, 50], output: [count(CALL), count('Hi<|return|>')] })
  })

  test("usage by turn gives the host's last report to the last turn", () => {
    const run = byTurn()
    run.translator.beginTurn({ inputTokens: 10 })
    run.push(encodeHarmony(CALL))
    run.translator.addUsage({ inputTokens: 1, cachedTokens: 2 })
    run.translator.beginTurn({ inputTokens: 20 })
    run.push(encodeHarmony(FINAL))
    run.translator.addUsage({ inputTokens: 3, cachedTokens: 4 })
    expect(turnsOf(usageAtEnd(run))).toMatchObject({ input: [1, 3], cached: [2, 4] })
  })

  test('usage by turn has no tool output if a prompt is shorter than the one before', () => {
    const run = byTurn()
    run.translator.beginTurn({ inputTokens: 500 })
    run.push(encodeHarmony(CALL))
    run.translator.beginTurn({ inputTokens: 30 })
    run.push(encodeHarmony(CALL))
    run.translator.beginTurn({ inputTokens: 30 + count(CALL) + 5 })
    run.push(encodeHarmony(FINAL))
    const shown = usageAtEnd(run)
    expect(turnsOf(shown).tools).toEqual([0, 0, 5])
    expect(shown?.output_tokens_details.tool_output_tokens).toBe(5)
  })

  test('usage by turn is in an incomplete response, too', () => {
    const run = byTurn({ usage: { inputTokens: 9 } })
    run.push(encodeHarmony(ANSWER))
    expect(turnsOf(terminal(run.end('max_output_tokens')).usage)).toMatchObject({ input: [9], output: [count(ANSWER)] })
  })

  test('usage by turn is null if no tokens were counted, and if the response failed', () => {
    const text = byTurn()
    text.push(ANSWER)
    expect(usageAtEnd(text)).toBeNull()
    const failed = byTurn()
    failed.push(encodeHarmony(ANSWER))
    expect(terminal(failed.abort()).usage).toBeNull()
  })

  test('usage by turn survives a snapshot between two turns and within one', () => {
    const tokens = [...encodeHarmony(CALL), ...encodeHarmony(FINAL)]
    for (const cut of [1, count(CALL), count(CALL) + 3]) {
      const whole = byTurn({ usage: { inputTokens: 5 } })
      const first = byTurn({ usage: { inputTokens: 5 } })
      const restored = (): Run =>
        runOf(
          Translator.restore(JSON.parse(JSON.stringify(first.translator.snapshot())), {
            ...FIXED,
            tokenTable,
            usageByTurn: true,
          }),
        )
      let other = first
      for (const [at, id] of tokens.entries()) {
        if (at === count(CALL)) for (const run of [whole, other]) run.translator.beginTurn({ inputTokens: 40 })
        if (at === cut) other = restored()
        for (const run of [whole, other]) run.push(id)
      }
      const shown = usageAtEnd(whole)
      expect(turnsOf(shown)).toMatchObject({ input: [5, 40], output: [count(CALL), count(FINAL)] })
      expect(usageAtEnd(other)).toEqual(shown)
    }
  })

  test.each(['yes', 1, null, {}])('usage by turn that is asked for by %j is refused', (usageByTurn) => {
    expect(() => createRun({ usageByTurn: usageByTurn as never })).toThrow(
      expect.objectContaining({ name: 'HarmonyResponsesError', code: 'bad_option' }),
    )
  })

  test('usage by turn adds up to the totals, however the turns go', () => {
    const counts = fc.record({ inputTokens: fc.nat(500), cachedTokens: fc.nat(500) }, { requiredKeys: [] })
    const step = fc.oneof(
      fc.constantFrom(CALL, FINAL, THOUGHT, ANSWER, '<|end|>', 'stray').map((sampled) => ({ sampled })),
      fc.constantFrom(FOUND, '<|start|>assistant', `${FOUND}<|start|>assistant`).map((host) => ({ host })),
      counts.map((turn) => ({ turn })),
      counts.map((added) => ({ added })),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), counts, (steps, first) => {
        const run = byTurn({ usage: first })
        // A model call begins when host text follows sampled text.
        const calls = [0]
        let isNew = false
        for (const step of steps) {
          if ('sampled' in step) {
            if (isNew) calls.push(0)
            isNew = false
            const ids = encodeHarmony(step.sampled)
            calls.push((calls.pop() ?? 0) + ids.length)
            run.push(ids)
          } else if ('added' in step) run.translator.addUsage(step.added)
          else {
            isNew = calls.at(-1) !== 0
            if ('turn' in step) run.translator.beginTurn(step.turn)
            else run.push({ host: encodeHarmony(step.host) })
          }
        }
        // The last call of the model is also sampled.
        if (isNew) {
          calls.push(count('x'))
          run.push(encodeHarmony('x'))
        }
        const shown = usageAtEnd(run)
        const { input, cached, output, tools } = turnsOf(shown)
        const sum = (each: number[]): number => each.reduce((total, one) => total + one, 0)
        expect(output).toEqual(calls)
        expect([sum(input), sum(cached), sum(output), sum(tools)]).toEqual([
          shown?.input_tokens,
          shown?.input_tokens_details.cached_tokens,
          shown?.output_tokens,
          shown?.output_tokens_details.tool_output_tokens,
        ])
        for (const each of [input, cached, tools]) expect(each).toHaveLength(calls.length)
        expect(shown?.total_tokens).toBe(sum(input) + sum(output))
      }),
      { numRuns: runs(300) },
    )
  })

  test('usage by turn of output that the host counted adds up to the totals, too', () => {
    const run = byTurn()
    run.push(encodeHarmony(ANSWER))
    run.translator.addUsage({ outputTokens: 50 })
    expect(turnsOf(usageAtEnd(run)).output).toEqual([50])
  })

  test('usage by turn of text that the host counted has the turns that the host began', () => {
    const run = byTurn()
    run.translator.beginTurn({ inputTokens: 10 })
    run.push(CALL)
    run.translator.addUsage({ outputTokens: 5 })
    run.translator.beginTurn({ inputTokens: 20 })
    run.push(FINAL)
    run.translator.addUsage({ outputTokens: 6 })
    expect(turnsOf(usageAtEnd(run))).toMatchObject({ input: [10, 20], output: [5, 6], tools: [0, 5] })
  })

  test('usage by turn has no turn for empty host text', () => {
    for (const host of [[], '', new Uint32Array()]) {
      const run = byTurn({ usage: { inputTokens: 9 } })
      const [first, rest] = [ANSWER.slice(0, -10), ANSWER.slice(-10)]
      run.push(encodeHarmony(first), { host }, encodeHarmony(rest))
      expect(turnsOf(usageAtEnd(run))).toMatchObject({ input: [9], output: [count(first) + count(rest)] })
    }
  })

  test('usage by turn has no turn for a last result after which the model was not called', () => {
    const run = byTurn({ usage: { inputTokens: 9 } })
    run.push(encodeHarmony(CALL), { host: encodeHarmony(FOUND) })
    expect(turnsOf(usageAtEnd(run))).toEqual({ input: [9], cached: [0], output: [count(CALL)], tools: [0] })
  })

  test('usage by turn has no negative count if a trusted message of the model is ended by the host', () => {
    const run = byTurn({ trustToolMessages: true })
    const made = '<|start|>github.a to=assistant<|channel|>commentary<|message|>found'
    run.push(encodeHarmony(CALL + made), { host: encodeHarmony('<|end|><|start|>assistant') }, encodeHarmony(FINAL))
    expect(turnsOf(usageAtEnd(run)).output).toEqual([count(CALL), count(FINAL)])
  })
})
