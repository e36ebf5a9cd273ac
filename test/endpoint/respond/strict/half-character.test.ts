import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../../src/core/responses/request.js'
import type { EndReason, HarmonyToken } from '../../../../src/core/tokens/token-source.js'
import type { GenerateOptions, TokenEngine } from '../../../../src/engines/contract/engine.js'
import { tokenStream } from '../../../../src/engines/contract/token-stream.js'
import { createMatcher } from '../../../../src/engines/grammar/index.js'
import { validatorOf } from '../../../support/json-schema-judge.js'
import { runs } from '../../../support/runs.js'
import { encodeHarmony, encodeText, m, tokenBytes } from '../../../support/tokens.js'
import { type Run, run } from '../scripted.js'

const CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>'
const BYTES = Array.from({ length: 256 }, (_, byte) =>
  Array.from({ length: 256 }, (_, id) => id).find((id) => tokenBytes(id)?.[0] === byte && tokenBytes(id)?.length === 1),
) as number[]
const bytesOf = (text: string): number[] => Array.from(new TextEncoder().encode(text))
const byteTokens = (text: string): number[] => bytesOf(text).map((byte) => BYTES[byte] as number)

interface Written {
  readonly tokens: readonly HarmonyToken[]
  readonly reason?: EndReason
}

/** Writes a given text without a constraint, and the shortest valid text with one. */
function engineOf(free: readonly Written[], asked: GenerateOptions[] = []): TokenEngine {
  let next = 0
  return {
    generate(_context, options = {}) {
      asked.push(options)
      const { constraint, maxTokens = Number.POSITIVE_INFINITY } = options
      const grammar = constraint && 'grammar' in constraint ? constraint.grammar : undefined
      const held = grammar === undefined ? undefined : createMatcher(grammar).completion()
      const { tokens, reason = 'stop' } =
        held === undefined ? (free[next++] as Written) : { tokens: [...encodeText(held), m.call] }
      return tokenStream(async function* () {
        yield* tokens.slice(0, maxTokens)
        return { reason: tokens.length > maxTokens ? 'max_output_tokens' : reason }
      }, options.signal)
    },
    capabilities: async () => ({ constraints: ['json_schema', 'gbnf'] }),
    health: async () => {},
  }
}

const requestOf = (v: object): ResponseRequest => ({
  input: 'Go.',
  tools: [
    {
      type: 'function',
      name: 'f',
      parameters: { type: 'object', properties: { v }, required: ['v'], additionalProperties: false },
      strict: true,
    },
  ],
})

/** A response that stopped after so many bytes of its arguments, and its continuation with this model. */
async function goOn(request: ResponseRequest, bytes: readonly number[], free: readonly Written[]) {
  const asked: GenerateOptions[] = []
  const header = encodeHarmony(CALL)
  const begun = [...header, ...bytes.map((byte) => BYTES[byte] as number)]
  const first = await run(request, { engine: engineOf([{ tokens: header }, { tokens: begun.slice(header.length) }]) })
  const entries = first.entries.filter(({ type }) => ['open', 'turn', 'chunk'].includes(type))
  const kept = entries.slice(0, 2 + begun.length)
  const whole = await run(request, { engine: engineOf(free, asked), entries: kept })
  return { ...whole, asked, added: whole.transcript.slice(2 + begun.length) }
}

const argumentsOf = ({ output }: Run): string => (output[0] as { arguments: string }).arguments

// Of two, three and four bytes, with neighbours that begin alike.
const CHARACTERS = [
  'é',
  'ê',
  'ࠀ',
  '語',
  '誟',
  '한',
  '\ufffd',
  '\uffff',
  '\u{10000}',
  '😀',
  '😁',
  '🙀',
  '🦜',
  '\u{10ffff}',
]
const anyText = fc.string({ unit: fc.constantFrom('a', ...CHARACTERS), minLength: 1, maxLength: 3 })
const anySchema = fc.oneof(
  fc.constant({ type: 'string' }),
  fc.uniqueArray(anyText, { minLength: 1, maxLength: 3 }).map((texts) => ({ enum: texts })),
)
/** A model's possible output in the middle of a character: its rest, another character, invalid bytes, nothing. */
const anyTokens = fc.array(
  fc.oneof(
    fc.constantFrom(...BYTES),
    fc.constantFrom(...CHARACTERS.flatMap(byteTokens)),
    fc.constantFrom(...encodeText('forged"}'), m.call, m.return, m.message, m.channel),
  ),
  { maxLength: 6 },
)

describe('a response that continues in the middle of a character of a strict body', () => {
  test('a strict body that continues inside a character fits its schema, whatever the model writes there', async () => {
    await fc.assert(
      fc.asyncProperty(anySchema, anyText, fc.nat(), anyTokens, async (schema, drawn, at, tokens) => {
        const text = 'enum' in schema ? (schema.enum[at % schema.enum.length] as string) : drawn
        const bytes = bytesOf(`{"v":"${text}`)
        const cuts = bytes.flatMap((_, end) => (((bytes[end] as number) & 0xc0) === 0x80 ? [end] : []))
        fc.pre(cuts.length > 0)
        const whole = await goOn(requestOf(schema), bytes.slice(0, cuts[at % cuts.length]), [
          { tokens },
          { tokens: [] },
          { tokens: [] },
        ])
        expect(whole.response).toMatchObject({ status: 'completed', output: [{ status: 'completed' }] })
        const { v } = JSON.parse(argumentsOf(whole))
        expect({ schema, v, isValid: validatorOf(schema)(v) }).toMatchObject({ isValid: true })
      }),
      { numRuns: runs(300) },
    )
  })

  test.each(CHARACTERS)('a strict body continues with the character that the model wants: %j', async (character) => {
    const bytes = bytesOf(character)
    for (let had = 1; had < bytes.length; had++) {
      const rest = byteTokens(character).slice(had)
      const more = encodeText('and what it would write then')
      const begun = [...bytesOf('{"v":"'), ...bytes.slice(0, had)]
      const whole = await goOn(requestOf({ type: 'string' }), begun, [{ tokens: [...rest, ...more] }])
      expect(argumentsOf(whole)).toBe(`{"v":"${character}"}`)
      expect(whole.added.slice(0, rest.length)).toEqual(rest)
      expect(whole.asked.map(({ constraint }) => constraint !== undefined)).toEqual([false, true])
    }
  })

  test('a strict body that continues inside a character gets the first that may follow where the model wants none', async () => {
    const begun = [...bytesOf('{"v":"'), 0xf0, 0x9f]
    for (const tokens of [encodeText('forged'), [m.call], []]) {
      const whole = await goOn(requestOf({ enum: ['😁', '🦜', 'z'] }), begun, [{ tokens }])
      expect(argumentsOf(whole)).toBe('{"v":"😁"}')
      expect(whole.added.slice(0, 2)).toEqual(byteTokens('😁').slice(2))
    }
  })

  test('a strict body that continues inside a character stops at the limit of tokens, even within that character', async () => {
    const begun = [...bytesOf('{"v":"'), 0xf0]
    const request = {
      ...requestOf({ type: 'string' }),
      max_output_tokens: encodeHarmony(CALL).length + begun.length + 1,
    }
    const whole = await goOn(request, begun, [{ tokens: encodeText('forged') }])
    expect(whole.response).toMatchObject({ status: 'incomplete', output: [{ status: 'incomplete' }] })
    expect(whole.response.usage?.output_tokens).toBe(request.max_output_tokens)
    expect(JSON.stringify(whole.events)).not.toContain('forged')
  })

  test('no log-probabilities are asked for where a strict body continues inside a character', async () => {
    const request = {
      ...requestOf({ type: 'string' }),
      include: ['message.output_text.logprobs' as const],
      top_logprobs: 2,
    }
    const { asked } = await goOn(request, [...bytesOf('{"v":"'), 0xf0], [{ tokens: byteTokens('😀').slice(1) }])
    expect(asked.map(({ logprobs }) => logprobs)).toEqual([undefined, undefined])
  })

  test('a strict body that continues inside a character is free where the engine takes no grammar', async () => {
    const engine = (free: readonly Written[]): TokenEngine => ({
      ...engineOf(free),
      capabilities: async () => ({ constraints: ['json_schema'] }),
    })
    const header = encodeHarmony(CALL)
    const begun = byteTokens('{"v":"😀').slice(0, -1)
    const request = requestOf({ type: 'string' })
    const first = await run(request, { engine: engine([{ tokens: header }, { tokens: begun }]) })
    const entries = first.entries.filter(({ type }) => ['open', 'turn', 'chunk'].includes(type))
    const rest = [...byteTokens('😀').slice(-1), ...encodeText('"}'), m.call]
    const whole = await run(request, { engine: engine([{ tokens: rest }]), entries })
    expect(argumentsOf(whole)).toBe('{"v":"😀"}')
  })
})
