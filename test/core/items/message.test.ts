import { describe, expect, test } from 'vitest'
import { briefItem, createRun, inTurn, messageOn, terminal } from '../translate/run.js'

const ANSWER = { item_id: 'msg_0', output_index: 0 }
const TEXT = { ...ANSWER, content_index: 0 }

describe('the events of a message', () => {
  test('the events of an answer come in order and whole', () => {
    const run = createRun()
    run.start()
    expect(run.push('<|channel|>final<|message|>Hel', 'lo<|return|>')).toEqual([
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: {
          type: 'message',
          id: 'msg_0',
          status: 'in_progress',
          role: 'assistant',
          phase: 'final_answer',
          content: [],
        },
      },
      {
        type: 'response.content_part.added',
        sequence_number: 3,
        ...TEXT,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      },
      { type: 'response.output_text.delta', sequence_number: 4, ...TEXT, delta: 'Hel', logprobs: [] },
      { type: 'response.output_text.delta', sequence_number: 5, ...TEXT, delta: 'lo', logprobs: [] },
      { type: 'response.output_text.done', sequence_number: 6, ...TEXT, text: 'Hello', logprobs: [] },
      {
        type: 'response.content_part.done',
        sequence_number: 7,
        ...TEXT,
        part: { type: 'output_text', text: 'Hello', annotations: [], logprobs: [] },
      },
      {
        type: 'response.output_item.done',
        sequence_number: 8,
        output_index: 0,
        item: {
          type: 'message',
          id: 'msg_0',
          status: 'completed',
          role: 'assistant',
          phase: 'final_answer',
          content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
        },
      },
    ])
    expect(run.diagnostics).toEqual([])
  })

  test('a preamble is a message of its own phase, from added to the last response', () => {
    const run = createRun()
    run.push('<|channel|>commentary<|message|>Let me look.<|end|>')
    const [added, done] = run.events.flatMap((event) => ('item' in event ? [event.item] : []))
    expect(added).toMatchObject({ type: 'message', phase: 'commentary' })
    expect(done).toMatchObject({ type: 'message', phase: 'commentary' })
    expect(terminal(run.end()).output).toEqual([done])
  })

  test('the second message is at the next output index, its part at content index 0 again', () => {
    const run = createRun()
    const events = run.push(inTurn(messageOn('commentary', 'a<|end|>'), messageOn('final', 'b<|return|>')))
    const second = events.filter((event) => 'output_index' in event && event.output_index === 1)
    expect(second.map((event) => ('item_id' in event ? event.item_id : event.type))).toEqual([
      'response.output_item.added',
      'msg_1',
      'msg_1',
      'msg_1',
      'msg_1',
      'response.output_item.done',
    ])
    expect(second.filter((event) => 'content_index' in event)).toHaveLength(4)
    for (const event of second) if ('content_index' in event) expect(event.content_index).toBe(0)
  })

  test('an empty message has its part and no delta', () => {
    const run = createRun()
    run.start()
    const events = run.push('<|channel|>final<|message|><|return|>')
    expect(events.map(({ type }) => type)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
    ])
    expect(events[2]).toMatchObject({ text: '' })
    expect(events[4]).toMatchObject({ item: { content: [{ text: '' }] } })
  })

  test('a message that is cut off is closed incomplete with its content so far', () => {
    const run = createRun()
    run.push('<|channel|>final<|message|>Half')
    const events = run.end()
    expect(events.map(({ type }) => type)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.incomplete',
    ])
    expect(events[2]).toMatchObject({ item: { status: 'incomplete', content: [{ text: 'Half' }] } })
    expect(terminal(events).output.map(briefItem)).toEqual(['message incomplete "Half"'])
  })
})

describe('the text of a message', () => {
  const answerTo = (harmony: string): string | undefined => {
    const run = createRun()
    run.push(harmony)
    const [item] = terminal(run.end('stop')).output
    return item?.type === 'message' ? item.content[0]?.text : undefined
  }

  test.each([
    ['white space around it', ' \n Hi \n'],
    ['line ends', 'a\r\nb\rc'],
    ['what spells no marker', 'a <| b |> <|nope|> <'],
    ['characters beyond the BMP', '😀𝔸👨‍👩‍👧'],
    ['what JSON escapes', '"\\\u0000\u2028'],
    ['a byte order mark', '\ufeffHi'],
  ])('the text of a message keeps %s', (_, text) => {
    expect(answerTo(`<|channel|>final<|message|>${text}<|return|>`)).toBe(text)
  })

  test('a message to the assistant or the user is an ordinary message', () => {
    expect(answerTo('<|channel|>final to=user<|message|>Hi<|return|>')).toBe('Hi')
    expect(answerTo('<|channel|>commentary to=assistant<|message|>Hi<|end|>')).toBe('Hi')
  })

  test('the text of a message with a content type is text all the same', () => {
    expect(answerTo('<|channel|>final <|constrain|>json<|message|>{"a":1}<|return|>')).toBe('{"a":1}')
  })
})
