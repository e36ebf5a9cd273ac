import { describe, expect, test } from 'vitest'
import { checkEvents, createChecker, reportOn, type Violation } from '../../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { BASES, damaged, drop, nth, type Stream, set, setItem } from './streams.js'

/** The errors in a stream that is resumed after an event, without those caused by the model. */
function errorsOf(
  events: Stream,
  resumed: boolean | number,
  profile: 'openai' | 'open-responses' = 'openai',
): string[] {
  return checkEvents(events as readonly StreamEvent[], { resumed, profile })
    .filter(({ severity, fault }: Violation) => severity === 'error' && fault === 'server')
    .map(({ position, rule }) => `${position} ${rule}`)
}

/** What comes after the event of this sequence_number. */
const rest = (events: Stream, number: number): Stream => structuredClone(events.slice(number + 1))

describe.each(Object.entries(BASES))('the good stream %s', (_name, base) => {
  test('a good stream is good wherever it is resumed', () => {
    const events = base()
    for (let number = 0; number < events.length - 1; number++) {
      expect([number, errorsOf(rest(events, number), number)]).toEqual([number, []])
      expect([number, errorsOf(rest(events, number), true)]).toEqual([number, []])
    }
  })
})

describe('a stream that is resumed', () => {
  const answer = BASES.answer()
  const call = BASES.call()

  test('a stream that is resumed may be said to begin at its beginning', () => {
    expect(errorsOf(answer, false)).toEqual([])
    expect(errorsOf(answer, true)).toEqual([])
  })

  test('a resumed stream that is not declared as one is reported, with the option that declares it', () => {
    const [created] = checkEvents(rest(answer, 3) as readonly StreamEvent[])
    expect(created?.rule).toBe('created-first')
    expect(created?.got).toBe(
      '"response.output_text.delta" with sequence_number 4, the rest of a stream: check it as one that was resumed after 3',
    )
  })

  test('a resumed stream that is not declared as one is reported as that first, with all that follows from it', () => {
    const { causes } = reportOn(rest(answer, 3) as readonly StreamEvent[])
    expect(causes.map(({ lead }) => lead.rule)).toEqual(['created-first'])
  })

  test('a stream that is resumed begins with the next number', () => {
    expect(errorsOf(rest(answer, 4), 3)).toEqual(['0 sequence-numbers'])
  })

  test('a stream that is resumed continues with the numbers, whatever the first one was', () => {
    const events = rest(answer, 4)
    expect(errorsOf(damaged(events, set('output_text.done', { sequence_number: 9 })), true)).toEqual([
      '1 sequence-numbers',
      '2 sequence-numbers',
    ])
    expect(errorsOf(damaged(events, set('output_text.delta', { sequence_number: -1 })), true)).toContain(
      '0 sequence-numbers',
    )
  })

  test('the texts of a resumed stream end with the streamed part', () => {
    expect(errorsOf(damaged(rest(answer, 4), set('output_text.done', { text: 'Hi me' })), 4)).toEqual([
      '1 text-is-deltas',
      '2 text-done-event',
    ])
    expect(errorsOf(damaged(rest(call, 3), set('function_call_arguments.done', { arguments: '{}' })), 3)).toEqual([
      '1 call-is-deltas',
      '2 call-is-deltas',
    ])
  })

  test('a stream that is resumed has an item with the id that its events have', () => {
    expect(errorsOf(damaged(rest(answer, 4), setItem('message', { id: 'msg_other' }, ['done'])), 4)).toContain(
      '3 item-identity',
    )
  })

  test('a stream that is resumed ends once', () => {
    expect(
      errorsOf(
        damaged(rest(answer, 5), (events) => events.slice(0, -1)),
        5,
      ),
    ).toEqual(['3 one-terminal-event-last'])
  })

  test('a resumed stream has its new items at its end', () => {
    const events = damaged(rest(BASES.talk(), 8), (events) => {
      const response = nth(events, 'completed')['response'] as { output: unknown[] }
      response.output = response.output.slice(0, -1)
    })
    expect(errorsOf(events, 8).map((said) => said.split(' ')[1])).toEqual(['terminal-output-is-done-items'])
  })

  test('a stream that is resumed has no second beginning', () => {
    expect(errorsOf([...rest(answer, 4).slice(0, 1), nth(answer, 'in_progress')], true)).toContain(
      '1 in-progress-second',
    )
  })

  test('a stream that is resumed has no events of an item that was done, or of one after one that it announced', () => {
    const calls = BASES.calls()
    const first = nth(calls, 'function_call_arguments.delta')
    const late = [...rest(calls, 3), first]
    expect(errorsOf(late, 3)).toContain(`${late.length - 1} within-item`)
    const ahead = damaged(rest(calls, 6), drop('output_item.added'))
    expect(errorsOf(ahead, 6)).not.toEqual([])
  })

  test('a stream that is resumed keeps no more parts than an item can have', () => {
    const checker = createChecker({ resumed: true })
    const delta = { type: 'response.output_text.delta', sequence_number: 7, output_index: 0, content_index: 1e9 }
    expect(() => checker.push({ ...delta, item_id: 'msg_1', delta: 'x', logprobs: [] })).not.toThrow()
  })

  test('a stream that is resumed has to be as Open Responses requires, too', () => {
    expect(errorsOf(rest(answer, 4), 4, 'open-responses')).toEqual([])
    const other = damaged(rest(answer, 4), set('output_text.done', { text: 'Hi me' }))
    expect(errorsOf(other, 4, 'open-responses')).toEqual(['1 text-is-deltas', '2 text-done-event'])
  })

  test.each([['yes'], [-1], [1.5], [null]])('a check that is said to be resumed after %j is refused', (resumed) => {
    expect(() => createChecker({ resumed: resumed as never })).toThrow(
      /^resumed: expected true, false or a sequence_number, got/,
    )
  })
})
