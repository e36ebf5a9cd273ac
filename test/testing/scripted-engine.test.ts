import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { EngineError, type GenerateOptions, STOP_TOKENS } from '../../src/engines/contract/index.js'
import { translate } from '../../src/index.js'
import { sourcePlan } from '../../src/judge/conformance/arbitraries/index.js'
import { checkSource } from '../../src/judge/conformance/check-source.js'
import {
  answer,
  call,
  fail,
  firstTokens,
  hang,
  preamble,
  type ScriptedEngine,
  type ScriptedTurn,
  scriptedEngine,
  think,
} from '../../src/testing/index.js'
import { readTokens } from '../support/read-tokens.js'
import { runs } from '../support/runs.js'
import { encodeHarmony, encodeText, m } from '../support/tokens.js'

const RUNS = runs(100)
const tokenTable = await loadTokenTable()
const PROMPT = encodeHarmony('<|start|>user<|message|>Weather in Paris?<|end|><|start|>assistant')
const WEATHER = call('functions.get_weather', { city: 'Paris' })

const read = (engine: ScriptedEngine, prompt = PROMPT, options: GenerateOptions = {}) =>
  readTokens(engine.generate(prompt, options))
const idsOf = async (engine: ScriptedEngine, prompt = PROMPT, options: GenerateOptions = {}) =>
  (await read(engine, prompt, options)).tokens as number[]
/** A turn in words of pieces, mostly whole. */
const anyTurn = (): fc.Arbitrary<ScriptedTurn> =>
  fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }).map(think),
      fc.string({ unit: 'grapheme' }).map(preamble),
      fc.string({ unit: 'grapheme' }).map(answer),
      fc.json().map((json) => call('functions.f', json)),
    ),
    { minLength: 1, maxLength: 4 },
  )

describe('the contract of an engine', () => {
  test('a scripted engine keeps the laws of a source', async () => {
    await fc.assert(
      fc.asyncProperty(sourcePlan(), async (plan) => {
        const violations = await checkSource(({ tokens, cuts, ending }, signal) => {
          let close = (): void => {}
          const closed = new Promise<void>((resolve) => {
            close = resolve
          })
          const end = { stop: [], length: [], error: [fail()], hang: [hang()] }[ending]
          const engine = scriptedEngine(
            (prompt) => {
              prompt.signal.addEventListener('abort', close)
              return [...tokens, ...end]
            },
            { chunkSizes: cuts },
          )
          const source = engine.generate([1, 2], { signal })
          return { source, backend: { wasAsked: () => engine.calls.length > 0, closed } }
        }, plan)
        expect(violations).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('a scripted engine refuses what every engine refuses, before it is read', () => {
    const engine = scriptedEngine([answer('Hi')])
    expect(() => engine.generate([])).toThrow('promptTokens: expected at least one token id')
    expect(() => engine.generate(PROMPT, { maxTokens: 0 })).toThrow('maxTokens: expected a whole number of at least 1')
  })

  test('a scripted engine gives the same tokens in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn(), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (turn, sizes) => {
        const whole = await idsOf(scriptedEngine([turn]))
        expect(await idsOf(scriptedEngine([turn], { chunkSizes: sizes }))).toEqual(whole)
      }),
      { numRuns: RUNS },
    )
  })

  test('the chunks of a scripted engine have the sizes that are given, again and again', async () => {
    const engine = scriptedEngine([[1, 2, 3, 4, 5, 6, m.return]], { chunkSizes: [1, 3] })
    const chunks: unknown[] = []
    for await (const chunk of engine.generate(PROMPT)) chunks.push(chunk)
    expect(chunks).toEqual([1, [2, 3, 4], 5, [6, m.return]])
  })

  test('a scripted engine ends with the first of the stop ids, whatever chunk that is in', async () => {
    const turn = [1, m.end, 2, m.return]
    expect(await read(scriptedEngine([turn], { chunkSizes: [4] }), PROMPT, { stop: [m.end] })).toMatchObject({
      tokens: [1, m.end],
      end: { reason: 'stop' },
    })
    expect(await read(scriptedEngine([turn]))).toMatchObject({ tokens: turn, end: { reason: 'stop' } })
  })

  test('a scripted engine ends at the limit of tokens, but with stop if that was the stop token', async () => {
    const turn = [1, 2, m.return]
    expect(await read(scriptedEngine([turn]), PROMPT, { maxTokens: 2 })).toMatchObject({
      tokens: [1, 2],
      end: { reason: 'max_output_tokens' },
    })
    expect((await read(scriptedEngine([turn]), PROMPT, { maxTokens: 3 })).end?.reason).toBe('stop')
  })

  test('a turn without a stop token ends as one whose context is full', async () => {
    expect((await read(scriptedEngine([think('Hm')]))).end?.reason).toBe('max_output_tokens')
  })

  test('a scripted engine refuses a prompt that its context cannot hold, and cuts off an answer', async () => {
    const contextLength = PROMPT.length + 2
    const engine = scriptedEngine([[1, 2, 3, m.return]], { contextLength })
    expect(await read(engine)).toMatchObject({ tokens: [1, 2], end: { reason: 'max_output_tokens' } })
    await expect(read(engine, [...PROMPT, 1, 2])).rejects.toMatchObject({ code: 'context_length_exceeded' })
    expect(engine.calls).toHaveLength(1)
  })

  test('a scripted engine is sure of every token, where log-probabilities are asked for', async () => {
    const engine = scriptedEngine(() => [1, m.return])
    expect((await read(engine, PROMPT, { logprobs: 0 })).tokens).toEqual([
      { id: 1, logprob: 0, topLogprobs: [] },
      { id: m.return, logprob: 0, topLogprobs: [] },
    ])
    expect((await read(engine, PROMPT, { logprobs: 3 })).tokens[0]).toEqual({
      id: 1,
      logprob: 0,
      topLogprobs: [{ id: 1, logprob: 0 }],
    })
  })

  test('the usage of a scripted engine counts the prompt, and its part from the call before', async () => {
    const engine = scriptedEngine([WEATHER, answer('22')])
    const first = await read(engine)
    expect(first.end?.usage).toEqual({ inputTokens: PROMPT.length, cachedTokens: 0 })
    const before = [...PROMPT, ...(first.tokens as number[])]
    const next = [...before, m.start, 1, m.message, 2, m.end, m.start, 173781]
    const usage = { inputTokens: next.length, cachedTokens: before.length }
    const said: unknown[] = []
    expect((await read(engine, next, { onUsage: (early) => void said.push(early) })).end?.usage).toEqual(usage)
    expect(said).toEqual([usage])
  })

  test('an empty list of stop ids stops nowhere', async () => {
    const { tokens, end } = await read(scriptedEngine([[1, m.return, 2]]), PROMPT, { stop: [] })
    expect([tokens, end?.reason]).toEqual([[1, m.return, 2], 'max_output_tokens'])
  })

  test('a scripted engine is healthy unless it is told not to be', async () => {
    await scriptedEngine([]).health()
    const healthError = new EngineError('rate_limit_exceeded', 'busy')
    await expect(scriptedEngine([], { healthError }).health()).rejects.toBe(healthError)
    await expect(scriptedEngine([]).health({ signal: AbortSignal.abort(healthError) })).rejects.toBe(healthError)
  })

  test('translate converts the tokens of a scripted engine to a response', async () => {
    const engine = scriptedEngine([[think('Easy.'), answer('Hello')]], { tokenTable })
    const events = translate(engine.generate(PROMPT))
    for (let step = await events.next(); ; step = await events.next()) {
      if (!step.done) continue
      expect(step.value).toMatchObject({ status: 'completed', usage: { input_tokens: PROMPT.length } })
      expect(step.value?.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
      break
    }
  })
})

describe('the script', () => {
  test('the turns of a script are played in order', async () => {
    const engine = scriptedEngine([WEATHER, answer('22 degrees')])
    expect(await idsOf(engine)).toEqual(
      encodeHarmony(
        '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>',
      ),
    )
    expect(await idsOf(engine, [...PROMPT])).toEqual(encodeHarmony('<|channel|>final<|message|>22 degrees<|return|>'))
  })

  test('a turn that the script does not have is an error that shows the prompt', async () => {
    const engine = scriptedEngine([answer('One'), answer('Two')])
    await read(engine)
    await read(engine)
    await expect(read(engine)).rejects.toMatchObject({
      name: 'HarmonyResponsesError',
      code: 'bad_script',
      message:
        'scriptedEngine: the script has 2 turns, and turn 3 was asked for, ' +
        'after the message of user "Weather in Paris?"',
    })
    const none = scriptedEngine([])
    await expect(read(none, [m.start, 173781])).rejects.toThrow(
      'has 0 turns, and turn 1 was asked for, after no message',
    )
  })

  test('a script that is a function is given the messages of the prompt, and the options of the call', async () => {
    const engine = scriptedEngine(async ({ messages, options }) => {
      return answer(`${messages.at(-1)?.role}: ${messages.at(-1)?.content} ${options.maxTokens}`)
    })
    expect(await idsOf(engine, PROMPT, { maxTokens: 64 })).toEqual(
      encodeHarmony('<|channel|>final<|message|>user: Weather in Paris? 64<|return|>'),
    )
  })

  test('the calls of a scripted engine can be looked at', async () => {
    const engine = scriptedEngine([WEATHER, answer('22')])
    const result = '<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>{"c":22}<|end|>'
    const first = await idsOf(engine, PROMPT, { maxTokens: 100 })
    const second = [...PROMPT, ...first, ...encodeHarmony(`${result}<|start|>assistant`)]
    await read(engine, second)
    expect(engine.calls).toMatchObject([
      { call: 1, turn: 1, opening: '', options: { maxTokens: 100 } },
      { call: 2, turn: 2, opening: '', options: {} },
    ])
    expect(engine.calls[1]?.tokens).toEqual(Uint32Array.from(second))
    expect(engine.calls[1]?.messages).toEqual([
      { role: 'user', content: 'Weather in Paris?' },
      {
        role: 'assistant',
        channel: 'commentary',
        recipient: 'functions.get_weather',
        contentType: 'json',
        constrained: true,
        content: '{"city":"Paris"}',
      },
      {
        role: 'tool',
        name: 'functions.get_weather',
        recipient: 'assistant',
        channel: 'commentary',
        content: '{"c":22}',
      },
    ])
  })

  test('an error that a script throws is thrown by the call', async () => {
    const error = new Error('mine')
    const engine = scriptedEngine(() => {
      throw error
    })
    await expect(read(engine)).rejects.toBe(error)
  })

  test('a prompt that is read a second time asks for another turn', async () => {
    const engine = scriptedEngine([fail(), answer('Again')])
    await expect(read(engine)).rejects.toBeInstanceOf(EngineError)
    expect(await idsOf(engine)).toEqual(encodeHarmony('<|channel|>final<|message|>Again<|return|>'))
  })

  test('calls that begin at the same time get turns in their order', async () => {
    const engine = scriptedEngine([answer('One'), answer('Two')], { tokenTable })
    const [one, two] = await Promise.all([idsOf(engine), idsOf(engine)])
    expect([one, two]).toEqual([
      encodeHarmony('<|channel|>final<|message|>One<|return|>'),
      encodeHarmony('<|channel|>final<|message|>Two<|return|>'),
    ])
  })

  test.each<[unknown, string]>([
    [undefined, 'turn 1: expected Harmony, or a message such as answer(TEXT) or call(TO, ARGUMENTS), got undefined'],
    ['Hello', 'turn 1: expected Harmony with <|markers|>; answer(TEXT) writes a text as an answer, got "Hello"'],
    [[m.channel, 300000], 'turn 1, piece 2: expected a token id from 0 to 201087, got 300000'],
    [{ channel: 'fnal', text: '' }, 'turn 1: channel: expected analysis, commentary, final, got "fnal"'],
    [{ text: 'Hi' }, 'turn 1: channel: expected analysis, commentary, final, got undefined'],
    [{ channel: 'final' }, 'turn 1: text: expected a string, got undefined'],
    [{ channel: 'final', text: '', to: 1 }, 'turn 1: to: expected a string, got 1'],
    [{ channel: 'final', text: '', ends: 'stop' }, 'turn 1: ends: expected end, call, return, got "stop"'],
    [{ fail: 'boom' }, 'turn 1: expected fail to be an error, got "boom"'],
    [firstTokens(2, ['Hi']), 'turn 1, piece 1: expected Harmony with <|markers|>'],
    [[fail(), answer('')], 'turn 1, piece 1: expected nothing after fail() or hang(), got an object'],
  ])('the turn %j is refused, in a list and of a function', async (turn, message) => {
    expect(() => scriptedEngine([turn as ScriptedTurn])).toThrow(message)
    const engine = scriptedEngine(() => turn as ScriptedTurn)
    await expect(read(engine)).rejects.toMatchObject({ code: 'bad_script', message: expect.stringContaining(message) })
  })

  test.each<[unknown, unknown, string]>([
    ['Hi', {}, 'scriptedEngine: expected a list of turns, or a function, got "Hi"'],
    [[], null, 'options: expected an object'],
    [[], { chunkSizes: [] }, 'chunkSizes: expected whole numbers of at least 1'],
    [[], { chunkSizes: [0] }, 'chunkSizes: expected whole numbers of at least 1'],
    [[], { contextLength: 0 }, 'contextLength: expected a whole number of at least 1, got 0'],
    [[], { healthError: new Error('ill') }, 'healthError: expected an EngineError, got Error'],
  ])('the script %j with the options %j is refused', (script, options, message) => {
    expect(() => scriptedEngine(script as [], options as object)).toThrow(message)
  })
})

describe('a turn that the prompt has a part of', () => {
  test('a turn that the prompt has a part of continues where a stop id or the limit cut it short, wherever that was', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurn(), fc.integer({ min: 1, max: 12 }), fc.boolean(), async (turn, step, stops) => {
        const whole = await idsOf(scriptedEngine([turn], { tokenTable }), PROMPT, { stop: [] })
        const engine = scriptedEngine([turn], { tokenTable })
        const written: number[] = []
        while (written.length < whole.length) {
          const options = { maxTokens: step, stop: stops ? [m.message, m.end, ...STOP_TOKENS] : [] }
          written.push(...(await idsOf(engine, [...PROMPT, ...written], options)))
        }
        expect(written).toEqual(whole)
        expect(new Set(engine.calls.map((each) => each.turn))).toEqual(new Set([1]))
      }),
      { numRuns: RUNS },
    )
  })

  test('a turn that the prompt has a part of continues where the host began the message in other tokens or words', async () => {
    const engine = scriptedEngine([[think('Hm'), WEATHER], answer('22')])
    const thought = await idsOf(engine, PROMPT, { stop: [m.end] })
    const header = [
      ...encodeHarmony('<|start|>assistant<|channel|>commentary'),
      ...encodeText(' to='),
      ...encodeText('functions.get_weather'),
      m.message,
    ]
    expect(await idsOf(engine, [...PROMPT, ...thought, ...header])).toEqual(encodeHarmony('{"city":"Paris"}<|call|>'))
    expect(engine.calls[1]).toMatchObject({
      turn: 1,
      opening: '<|channel|>commentary to=functions.get_weather<|message|>',
    })
  })

  test('a turn that the prompt has a part of continues in the middle of a token', async () => {
    const engine = scriptedEngine([answer('Hello')])
    const rest = await idsOf(engine, [...PROMPT, ...encodeHarmony('<|channel|>final<|message|>Hel')])
    expect(rest).toEqual([...encodeText('lo'), m.return])
  })

  test('another engine continues a turn in which the first has died', async () => {
    const first = scriptedEngine([[firstTokens(5, answer('It is 22 degrees in Paris.')), fail()]])
    const written: number[] = []
    const dying = async (): Promise<void> => {
      for await (const id of first.generate(PROMPT)) written.push(id as number)
    }
    await expect(dying()).rejects.toMatchObject({ code: 'server_error' })
    expect(written).toHaveLength(5)
    const second = scriptedEngine([answer('It is 22 degrees in Paris.')])
    const rest = await idsOf(second, [...PROMPT, ...written])
    expect([...written, ...rest]).toEqual(
      encodeHarmony('<|channel|>final<|message|>It is 22 degrees in Paris.<|return|>'),
    )
  })

  test('another engine continues a turn, in whichever of its messages the first has died', async () => {
    const turn = [think('Hm, 🦜.'), think('Well.'), answer('It is 22 degrees.')]
    const whole = await idsOf(scriptedEngine([turn]), PROMPT)
    for (const at of whole.keys()) {
      const rest = await idsOf(scriptedEngine([turn]), [...PROMPT, ...whole.slice(0, at)])
      expect([at, ...whole.slice(0, at), ...rest]).toEqual([at, ...whole])
    }
  })

  test('a turn is played again where the prompt has all of it already', async () => {
    const turn = encodeHarmony('<|channel|>analysis<|message|>Hm<|end|>')
    const prompt = [...PROMPT, ...turn, ...encodeHarmony('<|start|>assistant')]
    expect(await idsOf(scriptedEngine([turn]), prompt)).toEqual(turn)
  })

  test('a turn is written into a message that the host began and that is no part of it', async () => {
    const engine = scriptedEngine(['{"city":"Paris"}<|call|>', answer('Hi')])
    const begun = [...PROMPT, ...encodeHarmony('<|channel|>commentary to=functions.get_weather<|message|>')]
    expect(await idsOf(engine, begun)).toEqual(encodeHarmony('{"city":"Paris"}<|call|>'))
    expect(await idsOf(engine, begun)).toEqual(encodeHarmony('<|channel|>final<|message|>Hi<|return|>'))
  })

  test('a turn that the prompt has a part of keeps how it ends', async () => {
    const engine = scriptedEngine([[think('Hm'), fail()], answer('Hi')])
    const written = await idsOf(engine, PROMPT, { maxTokens: 2 })
    await expect(read(engine, [...PROMPT, ...written])).rejects.toBeInstanceOf(EngineError)
    expect(engine.calls.map(({ turn }) => turn)).toEqual([1, 1])
    // It has failed: whoever asks again gets the next turn.
    await read(engine, [...PROMPT, ...written])
    expect(engine.calls.map(({ turn }) => turn)).toEqual([1, 1, 2])
  })
})
