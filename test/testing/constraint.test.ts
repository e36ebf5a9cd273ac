import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIRST_SPECIAL, markerText, SPECIAL } from '../../src/core/harmony/vocabulary.js'
import { type Constraint, type GenerateOptions, STOP_TOKENS } from '../../src/engines/contract/index.js'
import { createMatcher, jsonSchemaToGbnf } from '../../src/engines/grammar/index.js'
import { atOnce } from '../../src/shared/slices.js'
import {
  answer,
  call,
  fail,
  type ScriptedEngineOptions,
  type ScriptedTurn,
  scriptedEngine,
  think,
} from '../../src/testing/index.js'
import { anyCase } from '../engines/grammar/schemas.js'
import { allows } from '../engines/grammar/walk.js'
import { constraintLaws } from '../support/constraint-laws.js'
import { readTokens } from '../support/read-tokens.js'
import { runs } from '../support/runs.js'
import { decodeTokens, encodeHarmony, m } from '../support/tokens.js'

const RUNS = runs(200)
const PROMPT = encodeHarmony('<|start|>user<|message|>Weather?<|end|><|start|>assistant')
const CITY = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 8 } },
  required: ['city'],
  additionalProperties: false,
}
const PAUSE = [...STOP_TOKENS, SPECIAL.message]
const schema = (jsonSchema: object): GenerateOptions => ({ constraint: { jsonSchema } as Constraint })

/** Tokens as text with markers. */
function spelled(ids: readonly number[]): string {
  const at = ids.findIndex((id) => id >= FIRST_SPECIAL)
  if (at === -1) return decodeTokens(ids)
  return decodeTokens(ids.slice(0, at)) + markerText(ids[at] as number) + spelled(ids.slice(at + 1))
}

/** One engine, and its model's output for prompts that continue each other. */
function session(turns: ScriptedTurn[], options?: ScriptedEngineOptions) {
  const engine = scriptedEngine(turns, options)
  let prompt: readonly number[] = PROMPT
  return {
    engine,
    /** Generates, and appends the output to the prompt. */
    async next(given: GenerateOptions = {}): Promise<string> {
      const { tokens } = await readTokens(engine.generate(prompt, given))
      prompt = [...prompt, ...(tokens as number[])]
      return spelled(tokens as number[])
    },
    /** The host writes something. */
    write(harmony: string): void {
      prompt = [...prompt, ...encodeHarmony(harmony)]
    },
    /** The host writes another token for the last one. */
    endWith(id: number): void {
      prompt = [...prompt.slice(0, -1), id]
    },
  }
}

constraintLaws('the scripted engine', () => scriptedEngine([]), ['json_schema', 'regex', 'gbnf'])

describe('a scripted engine under a constraint', () => {
  test('a scripted engine reports its abilities', async () => {
    const { fit: asFitted, ...can } = (await scriptedEngine([], { contextLength: 100 }).capabilities?.()) ?? {}
    expect(can).toEqual({
      contextLength: 100,
      constraints: ['json_schema', 'regex', 'gbnf'],
      continues: 'turn',
      hasConstrainedLogprobs: true,
    })
    const of = (constraint: Constraint) => atOnce(asFitted?.(constraint) ?? expect.fail('no fit'))
    const refusalOf = (constraint: Constraint) => {
      const { constraint: held, relaxed } = of(constraint)
      return held === undefined ? relaxed[0] : undefined
    }
    expect(of({ jsonSchema: { uniqueItems: true } })).toMatchObject({
      constraint: { jsonSchema: { uniqueItems: true } },
      relaxed: [{ path: '/uniqueItems', message: "The keyword 'uniqueItems' cannot be enforced." }],
    })
    expect(refusalOf({ jsonSchema: { type: 'objekt' } })?.path).toBe('/type')
    expect(refusalOf({ regex: '(?=a)' })?.path).toBe('')
    expect(refusalOf({ grammar: 'root ::= root', syntax: 'gbnf' })?.message).toContain('begins with itself')
    expect(of({ jsonSchema: CITY }).relaxed).toEqual([])
    const weak = await scriptedEngine([], { constraints: ['regex'] }).capabilities?.()
    expect(weak?.constraints).toEqual(['regex'])
    const weakly = atOnce(weak?.fit?.({ jsonSchema: CITY }) ?? expect.fail('no fit'))
    expect(weakly).toMatchObject({ constraint: undefined, relaxed: [{ message: /json_schema/ }] })
    expect(weak?.contextLength).toBe(undefined)
  })

  test('a constraint that a scripted engine does not hold is refused before the call', () => {
    const engine = scriptedEngine([answer('x')])
    const refused = [
      { grammar: 'start: "a"', syntax: 'lark' },
      { jsonSchema: { type: 'objekt' } },
    ] satisfies Constraint[]
    for (const constraint of refused) {
      expect(() => engine.generate(PROMPT, { constraint })).toThrow(/^constraint: /)
    }
    expect(engine.calls).toEqual([])
    expect(() => scriptedEngine([], { constraints: ['lark'] })).toThrow(
      "constraints[0]: expected one of 'json_schema', 'regex', 'gbnf', got",
    )
  })

  test('a body that is valid plays as without a constraint, across the pause', async () => {
    const { next } = session([[think('Hm'), call('functions.weather', { city: 'Paris' })]])
    const free = await session([[think('Hm'), call('functions.weather', { city: 'Paris' })]]).next()
    let text = await next({ stop: PAUSE })
    text += await next({ stop: PAUSE })
    expect(text).toMatch(/<\|message\|>$/)
    expect(text + (await next(schema(CITY)))).toBe(free)
  })

  test('where the model insists on something else, a shortest text completes the body', async () => {
    const bodyOf = async (body: string): Promise<string> => {
      const { next } = session([call('functions.weather', body)])
      await next({ stop: PAUSE })
      return next(schema(CITY))
    }
    expect(await bodyOf('Paris, I think')).toBe('{"city":""}<|call|>')
    expect(await bodyOf('{"city": "Paris", "unit": "C"}')).toBe('{"city": "Paris"}<|call|>')
    expect(await bodyOf('{"city": "Paris')).toBe('{"city": "Paris"}<|call|>')
    expect(await bodyOf('{"city": "Constantinople"}')).toMatch(/^\{"city": "Const[a-z]*"\}<\|call\|>$/)
    expect(await bodyOf('{"city": "Rome"}  ')).toBe('{"city": "Rome"}<|call|>')
  })

  test('a model that forges a message inside of a string is steered back into it', async () => {
    const forged =
      '<|channel|>final<|message|>{"city":"Nap<|end|><|start|>assistant<|channel|>final<|message|>oops<|return|>'
    const { next } = session([forged])
    await next({ stop: PAUSE })
    expect(await next(schema(CITY))).toBe('{"city":"Nap"}<|return|>')
  })

  test('the turn continues behind a steered body, whichever token the host ends it with', async () => {
    for (const end of [SPECIAL.return, SPECIAL.end, SPECIAL.call]) {
      const { next, endWith } = session([[call('functions.a', 'nonsense'), answer('{"city":"Rome"}')]])
      await next({ stop: PAUSE })
      expect(await next(schema(CITY))).toBe('{"city":""}<|return|>')
      endWith(end)
      expect(await next({ stop: PAUSE })).toBe('<|start|>assistant<|channel|>final<|message|>')
      expect(await next(schema(CITY))).toBe('{"city":"Rome"}<|return|>')
    }
  })

  test('a call that the model forges inside of the arguments of another is no second call', async () => {
    const header = '<|channel|>commentary to=functions.a <|constrain|>json<|message|>'
    const { next } = session([`${header}{"city":"Nap<|call|><|start|>assistant${header}{}<|call|>`])
    await next({ stop: PAUSE })
    expect(await next(schema(CITY))).toBe('{"city":"Nap"}<|call|>')
  })

  test('a second call behind a constrained one is refused, since the first one ends the turn', async () => {
    const { next } = session([[call('functions.a', { city: 'Oslo' }), call('functions.b', { city: 'Rome' })]])
    await next({ stop: PAUSE })
    const expected =
      "turn 1: functions.a is held to its parameters, so that its call ends the turn; expected 'strict: false'"
    await expect(next(schema(CITY))).rejects.toMatchObject({
      ...{ code: 'bad_script', message: expect.stringContaining(expected) },
    })
  })

  test('a header that the host wrote continues with a body of its own', async () => {
    const { next, write } = session([call('functions.weather', { city: 'Oslo' }), answer('It rains')])
    write('<|channel|>commentary to=functions.weather <|constrain|>json<|message|>')
    expect(await next(schema(CITY))).toBe('{"city":"Oslo"}<|call|>')
    write('<|start|>functions.weather to=assistant<|channel|>commentary<|message|>rain<|end|><|start|>assistant')
    write('<|channel|>commentary to=functions.weather<|message|>')
    expect(await next(schema(CITY))).toBe('{"city":""}<|return|>')
  })

  test('regular expressions and GBNF constrain, too', async () => {
    const { next, write } = session([answer('b!'), answer('yes, sir')])
    write('<|channel|>final<|message|>')
    expect(await next({ constraint: { regex: '[ab]{2}' } })).toBe('ba<|return|>')
    write('<|start|>user<|message|>Sure?<|end|><|start|>assistant<|channel|>final<|message|>')
    expect(await next({ constraint: { grammar: 'root ::= "yes" | "no"', syntax: 'gbnf' } })).toBe('yes<|return|>')
  })

  test('the limit of tokens cuts a steered body, which then continues', async () => {
    const { next } = session([call('functions.weather', 'nonsense')])
    await next({ stop: PAUSE })
    expect(await next({ ...schema(CITY), maxTokens: 1 })).toBe('{"')
    expect(await next()).toBe('city":""}<|call|>')
  })

  test('a script that fails in a body fails where it is, if all before was allowed', async () => {
    const { next } = session([['<|channel|>final<|message|>{"ci', fail()]])
    await next({ stop: PAUSE })
    await expect(next(schema(CITY))).rejects.toThrow('The script fails here')
  })

  test('characters that are cut between tokens are one character', async () => {
    const { next } = session([answer('{"city":"\u{1F9D1}\u{1F3FF}\u200D\u{1F680}"}')])
    await next({ stop: PAUSE })
    expect(await next(schema(CITY))).toBe('{"city":"\u{1F9D1}\u{1F3FF}\u200D\u{1F680}"}<|return|>')
  })

  test('whatever the model insists on, the body is valid, and its only special token is its last', async () => {
    const ids = fc.array(
      fc.oneof(fc.nat({ max: 199_997 }), fc.constantFrom(m.end, m.start, m.channel, m.return, m.call)),
    )
    const anyBody = fc.oneof(
      fc
        .array(fc.oneof(fc.constantFrom('{"', '"', ':', ',', '}', '[', ']', '1', ' '), fc.string()))
        .map((all) => all.join('')),
      fc.json(),
    )
    await fc.assert(
      fc.asyncProperty(
        anyCase(),
        anyBody,
        ids,
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        async (one, body, more, chunkSizes) => {
          const turn: ScriptedTurn = ['<|channel|>final<|message|>', ...encodeHarmony(body), ...more, m.return]
          const engine = scriptedEngine([turn], { chunkSizes })
          const header = [...PROMPT, ...encodeHarmony('<|channel|>final<|message|>')]
          const jsonSchema = { allOf: [one.schema] }
          const { tokens, end } = await readTokens(engine.generate(header, schema(jsonSchema)))
          const sampled = (tokens as (number | readonly number[])[]).flat() as number[]
          expect(end?.reason).toBe('stop')
          expect(STOP_TOKENS).toContain(sampled.at(-1))
          expect(sampled.slice(0, -1).filter((id) => id >= FIRST_SPECIAL)).toEqual([])
          const text = decodeTokens(sampled.slice(0, -1))
          expect(allows(createMatcher(jsonSchemaToGbnf(jsonSchema)), text)).toBe(true)
        },
      ),
      { numRuns: RUNS },
    )
  })
})
