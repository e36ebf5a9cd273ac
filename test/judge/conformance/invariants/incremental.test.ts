import { afterEach, describe, expect, test, vi } from 'vitest'
import { checkEvents, createChecker, PROFILES } from '../../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { StreamState } from '../../../../src/judge/conformance/stream-state.js'
import { sized } from '../../../support/runs.js'
import { BASES, cut, type Damage, damaged, drop, nth, type Stream, setResponse, twice } from './streams.js'

/** As many messages as one wants, one after the other, without an end. */
function* messages(count: number): Generator<StreamEvent> {
  const [created, inProgress, ...rest] = BASES.answer() as [StreamEvent, StreamEvent, ...StreamEvent[]]
  const ofItem = rest.slice(0, -1)
  yield created
  yield inProgress
  for (let index = 0; index < count; index++) {
    for (const event of ofItem) {
      const item = event['item'] as object | undefined
      const id = `msg_${index}`
      yield {
        ...event,
        sequence_number: 2 + index * ofItem.length + ofItem.indexOf(event),
        output_index: index,
        ...(item === undefined ? { item_id: id } : { item: { ...item, id } }),
      }
    }
  }
}

/** A function call in as many deltas as one wants. */
function* longCall(deltas: number): Generator<StreamEvent> {
  const events = BASES.call() as Stream
  const delta = nth(events, 'function_call_arguments.delta')
  yield* events.slice(0, 3)
  for (let number = 0; number < deltas; number++) yield { ...delta, delta: '1', sequence_number: 3 + number }
}

afterEach(() => {
  vi.restoreAllMocks()
})

/** How many parts of texts are joined while something is done: the work that a checker could do twice. */
function joinedIn(work: () => void): number {
  const join = Array.prototype.join
  let joined = 0
  vi.spyOn(Array.prototype, 'join').mockImplementation(function (this: unknown[], between?: string) {
    joined += this.length
    return join.call(this, between)
  })
  work()
  vi.restoreAllMocks()
  return joined
}

describe('the state and the work of a checker', () => {
  test('a checker keeps nothing open of many items that are done, and continues', () => {
    const count = sized(20_000, 2500)
    const reading = new StreamState()
    for (const event of messages(count)) {
      reading.locate(event)
      reading.apply(event)
    }
    expect(reading.open.size).toBe(0)
    expect(reading.done.size).toBe(count)
    const checker = createChecker()
    expect([...messages(count)].flatMap((event) => checker.push(event))).toEqual([])
    expect(checker.push({ type: 'response.output_text.delta', output_index: 0, delta: 'x' })).not.toEqual([])
    expect(checker.end().map(({ rule }) => rule)).toEqual(['one-terminal-event-last'])
  })

  test('a checker keeps no text of an item that is done', () => {
    const reading = new StreamState()
    const long = 'x'.repeat(10_000)
    for (const event of BASES.answer() as Stream) {
      const said = JSON.parse(JSON.stringify(event).replaceAll('Hi', long))
      reading.locate(said)
      reading.apply(said)
      if (event.type === 'response.output_item.done') break
    }
    reading.locate({ type: 'keepalive' })
    reading.apply({ type: 'keepalive' })
    const { done, open } = reading
    const kept = JSON.stringify([[...open.values()], [...done.values()].map(({ fieldHashes: fields }) => [...fields])])
    expect(kept.length).toBeLessThan(1000)
  })

  test.each(PROFILES)('the deltas of a call are not joined at each delta: %s', (profile) => {
    const work = (deltas: number): number => {
      const events = [...longCall(deltas)]
      const checker = createChecker({ profile })
      return joinedIn(() => {
        for (const event of events) checker.push(event)
      })
    }
    // What is made once, at the first event that is checked, is no work of each.
    work(10)
    expect(work(2000)).toBeLessThan(work(1000) * 3 + 100)
  })

  test('two checkers know nothing of each other', () => {
    const [first, second] = [createChecker(), createChecker()]
    const events = BASES.talk() as Stream
    for (const event of events) {
      expect(first.push(event)).toEqual([])
      expect(second.push(event)).toEqual([])
    }
    expect([first.end(), second.end()]).toEqual([[], []])
    // A checker that is made later begins anew: invariants that remember do so for one stream.
    expect(checkEvents(events)).toEqual([])
  })

  test('the events that a checker looked at are as they were', () => {
    const events = BASES.talk()
    const before = structuredClone(events)
    for (const profile of PROFILES) checkEvents(events, { profile })
    expect(events).toEqual(before)
  })
})

describe('a violation is reported at the event at which it is true', () => {
  const at = (name: keyof typeof BASES, damage: Damage): [number, string[]][] => {
    const checker = createChecker()
    const events = damaged(BASES[name](), damage)
    const reported = events.flatMap((event, index): [number, string[]][] => {
      const violations = checker.push(event)
      for (const { position, type } of violations) expect([position, type]).toEqual([index, event.type])
      return violations.length === 0 ? [] : [[index, violations.map(({ rule }) => rule)]]
    })
    const last = checker.end()
    for (const violation of last) {
      expect(violation.position).toBe(events.length)
      expect(violation).not.toHaveProperty('type')
    }
    return last.length === 0 ? reported : [...reported, [events.length, last.map(({ rule }) => rule)]]
  }

  test('a text without one of its deltas is reported where the whole text is', () => {
    expect(at('talk', cut(5, 6))).toEqual([[5, ['text-is-deltas']]])
  })

  test('a call that is done twice is reported at the second time', () => {
    expect(at('talk', twice('output_item.done', 2))).toEqual([[21, ['done-once']]])
  })

  test('an item that is open when its response is completed is reported at the end of the response', () => {
    expect(at('call', drop('output_item.done'))).toEqual([[6, ['every-item-done', 'terminal-output-is-done-items']]])
  })

  test('a response that has changed is reported where it has', () => {
    expect(at('answer', setResponse('completed', { model: 'other' }))).toEqual([[9, ['response-constant']]])
  })

  test('an end that is missing is reported at the end, after all events', () => {
    expect(at('answer', drop('completed'))).toEqual([[9, ['one-terminal-event-last']]])
  })

  test('a checker may be asked for the end twice', () => {
    const checker = createChecker()
    expect(checker.end()).toEqual(checker.end())
    expect(checker.end().map(({ position, rule }) => [position, rule])).toEqual([
      [0, 'one-terminal-event-last'],
      [0, 'stream-not-empty'],
    ])
  })
})
