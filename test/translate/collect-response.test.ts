import { expect, it } from 'vitest'
import type { ResponseStreamEvent, TerminalEvent } from '../../src/responses/events.js'
import { collectResponse } from '../../src/translate/collect-response.js'

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

it.each(TERMINAL_TYPES)('gives the response of %s', async (type) => {
  const end = terminal(type)
  expect(await collectResponse([DELTA, end])).toBe(end.response)
})

it('reads an async source, to its end', async () => {
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

it('throws where no terminal event comes, and says what came', async () => {
  await expect(collectResponse([DELTA, DELTA])).rejects.toMatchObject({
    name: 'HarmonyResponsesError',
    code: 'no_terminal_event',
    message: 'collectResponse: expected a terminal event, got "response.output_text.delta"',
  })
})

it('throws where nothing comes', async () => {
  await expect(collectResponse([])).rejects.toMatchObject({
    code: 'no_terminal_event',
    message: 'collectResponse: expected a terminal event, got undefined',
  })
})

it('throws what the source throws', async () => {
  const failure = new Error('connection reset')
  async function* source() {
    yield DELTA
    throw failure
  }
  await expect(collectResponse(source())).rejects.toBe(failure)
})
