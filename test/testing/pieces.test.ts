import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMessages } from '../../src/core/harmony/index.js'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import { EngineError } from '../../src/engines/contract/index.js'
import {
  answer,
  call,
  fail,
  firstTokens,
  hang,
  preamble,
  type ScriptedTurn,
  scriptedEngine,
  think,
} from '../../src/testing/index.js'
import { loadOfficial } from '../support/official-parser.js'
import { RUNS } from '../support/runs.js'
import { encodeHarmony, encodeText, m } from '../support/tokens.js'

const tokenTable = await loadTokenTable()

/** The tokens of a turn, even if it fails. */
async function written(turn: ScriptedTurn): Promise<{ tokens: number[]; error?: unknown }> {
  const tokens: number[] = []
  try {
    const engine = scriptedEngine([turn], { tokenTable })
    for await (const id of engine.generate([m.start, 173781], { stop: [] })) tokens.push(id as number)
  } catch (error) {
    return { tokens, error }
  }
  return { tokens }
}

describe('a piece of a turn', () => {
  test.each<[string, ScriptedTurn, string]>([
    ['think', think('Hm'), '<|channel|>analysis<|message|>Hm<|end|>'],
    ['preamble', preamble('One moment.'), '<|channel|>commentary<|message|>One moment.<|end|>'],
    ['answer', answer('Hi'), '<|channel|>final<|message|>Hi<|return|>'],
    [
      'call of a function',
      call('functions.f', { a: [1] }),
      '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":[1]}<|call|>',
    ],
    [
      'call without arguments',
      call('docs.list'),
      '<|channel|>commentary to=docs.list <|constrain|>json<|message|>{}<|call|>',
    ],
    [
      'call with text of its own',
      call('functions.f', '{"a":'),
      '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":<|call|>',
    ],
    ['call of python', call('python', '1+1'), '<|channel|>analysis to=python code<|message|>1+1<|call|>'],
    [
      'call of the browser',
      call('browser.search', { query: 'tides' }),
      '<|channel|>analysis to=browser.search code<|message|>{"query":"tides"}<|call|>',
    ],
    [
      'message in its own words',
      { channel: 'final', to: 'x', contentType: 'text', text: 'Hi', ends: 'call' },
      '<|channel|>final to=x text<|message|>Hi<|call|>',
    ],
    ['Harmony', '<|channel|>final<|message|>Hi<|return|>', '<|channel|>final<|message|>Hi<|return|>'],
    [
      'messages in a row',
      [think('Hm'), preamble('Two.'), call('functions.f'), call('functions.g')],
      '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>commentary<|message|>Two.<|end|>' +
        '<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|end|>' +
        '<|start|>assistant<|channel|>commentary to=functions.g <|constrain|>json<|message|>{}<|call|>',
    ],
    [
      'Harmony before a message',
      ['<|channel|>analysis<|message|>Hm<|end|>', answer('Hi')],
      '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>',
    ],
  ])('a piece of a turn is written as the model writes it: %s', async (_, turn, harmony) => {
    expect((await written(turn)).tokens).toEqual(encodeHarmony(harmony))
  })

  test('ids are written as they are', async () => {
    expect((await written([1, m.end, 2])).tokens).toEqual([1, m.end, 2])
    expect((await written(m.return)).tokens).toEqual([m.return])
  })

  test('text of a message is text, whatever it spells', async () => {
    const { tokens } = await written(answer('<|end|>'))
    expect(tokens).toEqual([...encodeHarmony('<|channel|>final<|message|>'), ...encodeText('<|end|>'), m.return])
  })

  test('a failure comes in the middle of the message before it', async () => {
    const { tokens, error } = await written([think('Hm'), answer('It is'), fail()])
    const harmony = '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>It is'
    expect(tokens).toEqual(encodeHarmony(harmony))
    expect(error).toMatchObject({ name: 'EngineError', code: 'server_error', message: 'The script fails here.' })
  })

  test('a failure is the error that was given', async () => {
    const error = new EngineError('rate_limit_exceeded', 'busy')
    expect(await written(fail(error))).toEqual({ tokens: [], error })
    expect(() => fail('busy' as never)).toThrow('fail: expected an error, got "busy"')
  })

  test('the first tokens of a turn are cut anywhere', async () => {
    const { tokens: whole } = await written(answer('It is 22 degrees.'))
    for (let count = 0; count <= whole.length + 1; count++) {
      const { tokens, error } = await written([firstTokens(count, answer('It is 22 degrees.')), fail()])
      expect(tokens).toEqual(whole.slice(0, count))
      expect(error).toBeInstanceOf(EngineError)
    }
  })

  test('the first tokens of a turn are all of it, and its end, if it has no more', async () => {
    const broken = [think('Hm'), fail(new Error('mine'))]
    expect(await written(firstTokens(99, broken))).toMatchObject({ error: new Error('mine') })
    expect(await written(firstTokens(2, broken))).toEqual({ tokens: encodeHarmony('<|channel|>analysis') })
  })

  test('arguments that are nothing a model can write are refused', () => {
    expect(() => call('')).toThrow('call: expected a recipient, got ""')
    expect(() => call('f', () => 1)).toThrow('call("f"): expected arguments that are a string or JSON, got a function')
    expect(() => answer(22 as never)).toThrow('answer: expected a text, got 22')
    expect(() => firstTokens(-1, hang())).toThrow('firstTokens: expected a whole number of tokens, got -1')
  })

  test('written pieces are read back as intended, by our parser and by the official one', async () => {
    const official = await loadOfficial()
    const text = fc.string({ unit: 'grapheme' })
    const message = fc.oneof(
      text.map((content) => ({ piece: think(content), channel: 'analysis', content })),
      text.map((content) => ({ piece: preamble(content), channel: 'commentary', content })),
      text.map((content) => ({ piece: answer(content), channel: 'final', content })),
      fc.json().map((content) => ({
        piece: call('functions.f', content),
        channel: 'commentary',
        recipient: 'functions.f',
        content,
      })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 5 }), async (messages) => {
        const { tokens } = await written(messages.map(({ piece }) => piece))
        const { messages: read, repairs } = parseMessages(tokens, { tokenTable })
        expect(repairs).toEqual([])
        expect(official.parse(tokens, 'assistant').errors).toEqual([])
        expect(read).toMatchObject(messages.map(({ piece: _, ...meant }) => ({ role: 'assistant', ...meant })))
      }),
      { numRuns: RUNS },
    )
  })
})
