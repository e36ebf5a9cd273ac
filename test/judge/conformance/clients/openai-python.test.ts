import { expect, test } from 'vitest'
import { openaiPython } from '../../../../src/judge/conformance/clients/openai-python.js'
import { TextHash } from '../../../../src/judge/conformance/clients/text-hash.js'
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

const TERMINAL = 'response.completed'

/** A stream whose terminal response has other fields. */
const endsWith = (fields: object): StreamEvent[] =>
  changed(CALL, TERMINAL, (event) => ({ ...event, response: { ...(event['response'] as object), ...fields } }))

test('an application raises at an error that is no object', () => {
  expect(rules(endsWith({ status: 'failed', error: 'Down.' }))).toContain('openai-python-error')
})

test('an output that is an empty text is an empty list, and any other text none', () => {
  expect(rules(endsWith({ output: '' }))).not.toContain('openai-python-content')
  expect(rules(endsWith({ output: 'none' }))).toContain('openai-python-content')
})

test('a text as the output of response.in_progress raises: the SDK goes through it', () => {
  const events = changed(CALL, 'response.in_progress', (event) => ({
    ...event,
    response: { ...(event['response'] as object), output: 'none' },
  }))
  expect(rules(events)).toContain('openai-python-content')
})

test('a summary that comes between the deltas of raw reasoning is read apart from it', () => {
  const events = stream('reasoning-answer').flatMap((event) =>
    event.type === 'response.reasoning_text.delta'
      ? [event, { ...event, type: 'response.reasoning_summary_text.delta', summary_index: 0 }]
      : [event],
  )
  const reader = openaiPython.begin(() => {})
  for (const event of events) reader.read(event)
  reader.end()
  const raw = stream('reasoning-answer')
    .filter(({ type }) => type === 'response.reasoning_text.delta')
    .map(({ delta }) => delta)
  expect(raw.length).toBeGreaterThan(1)
  expect(reader.seen.reasoning.equals(TextHash.of([...raw, ...raw].join('')))).toBe(true)
})

test('an id that is a list raises: the SDK looks items up by it', () => {
  const events = changed('reasoning-answer', 'response.output_item.done', (event) => ({
    ...event,
    item: { ...(event['item'] as object), id: [] },
  }))
  expect(rules(events)).toContain('openai-python-identity')
})

test('without an output, the response that was cut off has the items that are done, in the order of their indexes', () => {
  const cut = changed(CALL, TERMINAL, (event) => ({
    ...event,
    type: 'response.incomplete',
    response: {
      ...(event['response'] as object),
      output: null,
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    },
  }))
  expect(rules(cut)).toEqual([])
})
