import { expect, test } from 'vitest'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { judgeFor, stream } from './judge.js'

const { rules } = judgeFor('openai-python')

/** A stream whose events of a type are changed. */
const changed = (name: string, type: string, change: (event: StreamEvent) => StreamEvent): StreamEvent[] =>
  stream(name).map((event) => (event.type === type ? change(event) : event))

const CALL = 'preamble-function-call'

test('a good stream breaks it nowhere', () => {
  expect(rules(stream(CALL))).toEqual([])
})

test('it raises at a delta that is null, where the openai SDK appends "null"', () => {
  const events = changed(CALL, 'response.output_text.delta', (event) => ({ ...event, delta: null }))
  expect(rules(events)).toContain('openai-python-text')
})

test('it reads no event of its own, and no wrong item_id', () => {
  const [created, ...rest] = stream(CALL) as [StreamEvent, ...StreamEvent[]]
  expect(rules([created, { type: 'acme.queue' }, ...rest])).toEqual([])
  expect(rules(changed(CALL, 'response.output_text.delta', (event) => ({ ...event, item_id: 'other' })))).toEqual([])
})

test('it takes a number for an output_index that is a text', () => {
  const events = changed(CALL, 'response.output_text.delta', (event) => ({
    ...event,
    output_index: String(event['output_index']),
  }))
  expect(rules(events)).toEqual([])
})

test('it raises at text before its part, and without response.completed', () => {
  expect(rules(stream(CALL).filter(({ type }) => type !== 'response.content_part.added'))).toContain(
    'openai-python-part',
  )
  expect(rules(stream(CALL).slice(0, -1))).toContain('openai-python-terminal')
})

test('an item that is done under another id is another item for it', () => {
  const events = changed('reasoning-answer', 'response.output_item.done', (event) => ({
    ...event,
    item: { ...(event['item'] as object), id: 'other' },
  }))
  expect(rules(events)).toContain('openai-python-identity')
})
