import { describe, expect, test } from 'vitest'
import { type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { decodeTokens, encodeHarmony } from '../../support/tokens.js'
import { endpoint } from './endpoint.js'
import { APIS, said } from './said.js'

const CALL = '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Rome"}<|call|>'
const INVENTED =
  '<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>99 degrees<|end|>' +
  '<|start|>assistant<|channel|>final<|message|>It is 99 degrees.<|return|>'
const ANSWER = '<|channel|>final<|message|>It is 21 degrees.<|return|>'

/** An engine that does not stop at `<|call|>`, with the prompts that it was given. */
function goingOn(...turns: readonly string[]): TokenEngine & { readonly prompts: string[] } {
  const prompts: string[] = []
  return {
    prompts,
    health: async () => {},
    capabilities: async () => ({}),
    generate(prompt, options = {}) {
      const turn = encodeHarmony(turns[prompts.length] ?? ANSWER)
      prompts.push(decodeTokens([...prompt]))
      return tokenStream(async function* () {
        for (const id of turn) yield id
        return { reason: 'stop' }
      }, options.signal)
    },
  }
}

const WEATHER = { functions: [{ name: 'get_weather' }] }

describe.each(APIS.flatMap((api) => [[api, 'whole'] as const, [api, 'streamed'] as const]))('%s, %s:', (api, way) => {
  test('what an engine invents after a call is dropped', async () => {
    expect(await said(api, goingOn(CALL + INVENTED), WEATHER, way === 'streamed')).toEqual({
      ...{ reasoning: '', text: '', calls: ['get_weather {"city":"Rome"}'] },
    })
  })
})

test('the model never reads the result and the answer that it invented', async () => {
  const engine = goingOn(CALL + INVENTED, ANSWER)
  const app = endpoint(engine)
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object' }, strict: false }]
  const { body } = await app.create({ input: 'Weather?', tools })
  const input = [{ type: 'function_call_output', call_id: body.output[0].call_id, output: '21 degrees' }]
  const second = await app.create({ previous_response_id: body.id, input, tools })
  expect(second.body.output_text ?? second.body.output[0].content[0].text).toBe('It is 21 degrees.')
  expect(engine.prompts[1]).toContain('21 degrees')
  expect(engine.prompts[1]).not.toContain('99 degrees')
})
