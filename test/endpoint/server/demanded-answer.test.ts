import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { answer, preamble, type ScriptedTurn } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const Place = z.object({ city: z.string() })
const ROME = { city: 'Rome' }

const TURNS: readonly (readonly [string, readonly ScriptedTurn[]])[] = [
  ['prose without a header', ['Rome is it<|return|>', answer(JSON.stringify(ROME))]],
  ['reasoning', ['<|channel|>analysis<|message|>Rome.<|return|>', answer(JSON.stringify(ROME))]],
  ['nothing', ['<|return|>', answer(JSON.stringify(ROME))]],
  ['JSON in a preamble', ['<|channel|>commentary<|message|>{"x":1}<|return|>', answer(JSON.stringify(ROME))]],
  ['a preamble before its answer', [[preamble('I look at it.'), answer(JSON.stringify(ROME))]]],
  // Held to the format, the scripted sampler takes the shortest text.
  ['prose after the header', ['Rome is it<|return|>', answer('Rome')]],
]

describe.each(TURNS)('a model that writes %s under a format', (what, turns) => {
  const expected = what === 'prose after the header' ? { city: '' } : ROME

  test(`the official client parses the answer of a model that writes ${what}`, async () => {
    const body = { model: 'gpt-oss', input: 'Where?', text: { format: zodTextFormat(Place, 'place') } }
    const parsed = await endpoint(turns).client().responses.parse(body)
    expect(parsed.output_parsed).toEqual(expected)
    expect(JSON.parse(parsed.output_text)).toEqual(expected)
    const stream = endpoint(turns).client().responses.stream(body)
    const streamed = await stream.finalResponse()
    expect(streamed.output_parsed).toEqual(expected)
    expect(streamed.output.map(({ type }) => type)).toEqual(parsed.output.map(({ type }) => type))
  })

  test(`Chat Completions have the answer alone in the content of a model that writes ${what}`, async () => {
    const messages = [{ role: 'user' as const, content: 'Where?' }]
    const body = { model: 'gpt-oss', messages, response_format: zodResponseFormat(Place, 'place') }
    const parsed = await endpoint(turns).client().chat.completions.parse(body)
    expect(parsed.choices[0]?.message.parsed).toEqual(expected)
    const streamed = await endpoint(turns).client().chat.completions.stream(body).finalChatCompletion()
    expect(streamed.choices[0]).toMatchObject({ finish_reason: 'stop', message: { parsed: expected } })
  })
})
