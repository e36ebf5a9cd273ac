import { describe, expect, test } from 'vitest'
import { BASES, damaged, drop, give, inside, nth, renumbered, type Stream, saidOf, set, setItem } from './streams.js'

/** A response that lists the tools of two MCP servers at once, and answers. */
function listings(done: readonly number[]): Stream {
  const [created, inProgress, ...answer] = BASES.answer()
  const items = ['a', 'b'].map((name) => ({
    type: 'mcp_list_tools',
    id: `mcpl_${name}`,
    server_label: name,
    tools: [] as object[],
  }))
  const whole = items.map((item) => ({ ...item, tools: [{ name: 'search', input_schema: {} }] }))
  const of = (moment: string, index: number) => ({
    type: `response.mcp_list_tools.${moment}`,
    output_index: index,
    item_id: items[index]?.id,
  })
  const events = [
    created,
    inProgress,
    ...items.flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item },
      of('in_progress', index),
    ]),
    ...items.map((_item, index) => of('completed', index)),
    ...done.map((index) => ({ type: 'response.output_item.done', output_index: index, item: whole[index] })),
    ...answer.map((event) => ('output_index' in event ? { ...event, output_index: 2 } : event)),
  ] as Stream
  const response = inside(nth(events, 'completed'), 'response')
  response['output'] = [...whole, ...(response['output'] as object[])]
  return renumbered(events)
}

describe('OpenAI’s wire may', () => {
  test('OpenAI’s wire may list the tools of two servers, and say of one list that it is done', () => {
    expect(saidOf(listings([0, 1]), 'openai')).toEqual([])
    expect(saidOf(listings([1]), 'openai')).toEqual([])
    expect(saidOf(listings([0]), 'openai')).toEqual([])
  })

  test('OpenAI’s wire may not list tools and say of no list that it is done', () => {
    const said = saidOf(listings([]), 'openai')
    expect(said).toContain(`${listings([]).length - 1} every-item-done`)
  })

  test('OpenAI’s wire may not leave out a list that the response has to hold', () => {
    const events = damaged(listings([1]), (events) => {
      const response = inside(nth(events, 'completed'), 'response')
      response['output'] = (response['output'] as object[]).slice(1)
    })
    expect(saidOf(events, 'openai')).toEqual([`${events.length - 1} terminal-output-is-done-items`])
  })

  const logprobs = [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }]
  const text = { type: 'output_text', text: 'Hi you', annotations: [] }
  const logged = (part: object[], item: object[]): Stream =>
    damaged(
      BASES.answer(),
      setItem('message', { content: [{ ...text, logprobs: item }] }, ['done', 'terminal']),
      (events) => give(nth(events, 'content_part.done'), { part: { ...text, logprobs: part } }),
    )

  test('OpenAI’s wire may report probabilities in the item that it did not report with the part', () => {
    expect(saidOf(logged([], logprobs), 'openai')).toEqual([])
    expect(saidOf(logged(logprobs, logprobs), 'openai')).toEqual([])
  })

  test('OpenAI’s wire may not take back probabilities of the part', () => {
    expect(saidOf(logged(logprobs, []), 'openai')).toEqual(['8 item-is-its-parts'])
  })

  test('OpenAI’s wire may report an MCP call without a status, as it did in 2025', () => {
    const events = damaged(BASES.mcp(), setItem('mcp_call', { status: undefined }))
    expect(saidOf(events, 'openai')).toEqual([])
  })

  test('OpenAI’s wire may end with an error alone', () => {
    expect(saidOf(damaged(BASES.failed(), drop('failed')), 'openai')).toEqual([])
  })

  test('OpenAI’s wire may not continue after an error', () => {
    const events = damaged(BASES.failed(), drop('failed'), (events) => [
      ...events,
      { type: 'keepalive', sequence_number: 9 },
    ])
    expect(saidOf(events, 'openai')).toContain('9 error-then-failed')
  })

  test('OpenAI’s wire may have unknown fields, with a warning', () => {
    const events = damaged(BASES.answer(), set('output_text.delta', { acme: 1 }), setItem('message', { acme: 1 }))
    expect(saidOf(events, 'openai').every((said) => said.endsWith('?'))).toBe(true)
  })

  test('an unknown field does not hide what else is wrong with an event', () => {
    const events = damaged(BASES.answer(), set('output_item.added', { item: { ...message(), acme: 1, role: 7 } }))
    expect(saidOf(events, 'openai')).toContain('2 event-shape')
  })
})

const message = (): object => inside(nth(BASES.answer(), 'output_item.added'), 'item')
