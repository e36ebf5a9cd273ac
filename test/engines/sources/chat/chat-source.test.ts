import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatSource } from '../../../../src/engines/sources/chat.js'
import { collectResponse, translate } from '../../../../src/index.js'
import { checkEvents } from '../../../../src/judge/conformance/index.js'
import { call, chunk, ends, piece, say, think, USAGE } from './chunks.js'

const WEATHER = { type: 'function', name: 'get_weather', parameters: { type: 'object' } } as const
const request = { model: 'qwen', input: 'Hi', tools: [WEATHER] }
const quiet = { request, onError: () => {} }

test('the chunks of a stream become a response, with its counts', async () => {
  const chunks = [
    think('Hm.'),
    say('Hello'),
    piece(0, '{"city":"Rome"}', { id: 'a', name: 'get_weather' }),
    ends('tool_calls'),
    USAGE,
  ]
  expect(await collectResponse(translate(chatSource(chunks), { request }))).toMatchObject({
    status: 'completed',
    output: [
      { type: 'reasoning', content: [{ text: 'Hm.' }] },
      { type: 'message', content: [{ text: 'Hello' }] },
      { type: 'function_call', name: 'get_weather', arguments: '{"city":"Rome"}' },
    ],
    usage: { input_tokens: 9, output_tokens: 4 },
  })
})

test('the stream of an SDK is read as it arrives', async () => {
  let given = 0
  async function* stream() {
    for (const one of [say('a'), say('b'), ends('stop')]) {
      given += 1
      yield one
    }
  }
  for await (const event of translate(chatSource(stream()), { request })) {
    if (event.type === 'response.output_text.delta' && event.delta === 'a') expect(given).toBe(1)
  }
  expect(given).toBe(3)
})

test('a stream that ends without a reason fails, and a limit leaves the response incomplete', async () => {
  expect((await collectResponse(translate(chatSource([say('Hi')]), quiet))).status).toBe('failed')
  expect((await collectResponse(translate(chatSource([say('Hi'), ends('length')]), quiet))).status).toBe('incomplete')
})

test('whatever chunks there are, the events are valid', async () => {
  const text = fc.constantFrom('', 'Hi', '<|end|>', '\ud83d', '\ude00')
  const event = fc.oneof(
    fc.record({ content: text, reasoning: text }, { requiredKeys: [] }).map((delta) => chunk(delta)),
    fc.constantFrom<unknown>(
      ends('stop'),
      ends('length'),
      USAGE,
      {},
      call({ function: { name: 'f' } }),
      call({}),
      null,
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 8 }), async (chunks) => {
      const events = []
      for await (const one of translate(chatSource(chunks), quiet)) events.push(one)
      expect(checkEvents(events)).toEqual([])
    }),
  )
})
