import { expect, it } from 'vitest'
import type { ResponseStreamEvent, TerminalEvent } from '../../../src/core/responses/events.js'
import { collectResponse } from '../../../src/core/translate/collect-response.js'
import { translate, translateBatches } from '../../../src/index.js'

const DELTA: ResponseStreamEvent = {
  type: 'response.output_text.delta',
  sequence_number: 0,
  output_index: 0,
  item_id: 'msg_1',
  content_index: 0,
  delta: 'Hi',
  logprobs: [],
}

/** What is in the response does not matter here, only whose it is. */
function terminal(type: TerminalEvent['type']): TerminalEvent {
  return { type, sequence_number: 1, response: { id: `resp of ${type}` } } as TerminalEvent
}

const TERMINAL_TYPES = ['response.completed', 'response.incomplete', 'response.failed'] as const

it.each(TERMINAL_TYPES)('collectResponse returns the response of %s', async (type) => {
  const end = terminal(type)
  expect(await collectResponse([DELTA, end])).toBe(end.response)
})

it('collectResponse reads an async source to its end', async () => {
  const end = terminal('response.completed')
  let finished = false
  async function* source() {
    yield DELTA
    yield end
    finished = true
  }
  expect(await collectResponse(source())).toBe(end.response)
  expect(finished).toBe(true)
})

it('collectResponse throws if no terminal event comes, and says what came', async () => {
  await expect(collectResponse([DELTA, DELTA])).rejects.toMatchObject({
    name: 'HarmonyResponsesError',
    code: 'no_terminal_event',
    message: 'collectResponse: expected a terminal event, got "response.output_text.delta"',
  })
})

it('collectResponse throws if nothing comes', async () => {
  await expect(collectResponse([])).rejects.toMatchObject({
    code: 'no_terminal_event',
    message: 'collectResponse: expected a terminal event, got undefined',
  })
})

it('collectResponse throws the error of the source', async () => {
  const failure = new Error('connection reset')
  async function* source() {
    yield DELTA
    throw failure
  }
  await expect(collectResponse(source())).rejects.toBe(failure)
})

it('collectResponse returns the same response for batches as for events', async () => {
  const tokens = ['<|channel|>final<|message|>', 'Hi', '<|return|>']
  const options = { responseId: 'resp_1', clock: () => 1, ids: (prefix: string, index: number) => `${prefix}_${index}` }
  const response = await collectResponse(translateBatches(tokens, options))
  expect(response).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hi' }] }] })
  expect(response).toEqual(await collectResponse(translate(tokens, options)))
})

it.each([
  ['an object', {}, 'an iterable of events, got an object'],
  ['nothing', undefined, 'an iterable of events, got undefined'],
  ['text', 'data: {}', 'an iterable of events, got "data: {}"'],
  ['a promise of a stream', Promise.resolve([DELTA]), 'an iterable of events, got Promise'],
  ['a stream of something else', [new Uint8Array(2)], 'an event, got Uint8Array'],
  ['a stream of nothing', [null], 'an event, got null'],
  ['batches of batches', [[[DELTA]]], 'an event, got an array'],
])('collectResponse describes the fault of %s', async (_, events, message) => {
  await expect(collectResponse(events as never)).rejects.toMatchObject({
    name: 'HarmonyResponsesError',
    code: 'bad_stream',
    message: `collectResponse: expected ${message}`,
  })
})
