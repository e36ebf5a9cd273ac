import { expect, test } from 'vitest'
import { explain } from '../../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import type { Fields } from '../../../../src/shared/fields.js'
import { judgeFor, stream } from './judge.js'

const { rules } = judgeFor('langchain')
const events = stream('preamble-function-call')

/** The stream with other arguments of its call in the deltas, in their `.done` event, in the done item, or in the list. */
function withArguments(texts: Partial<Record<'deltas' | 'textDone' | 'done' | 'listed', string>>): StreamEvent[] {
  const replaced = (value: unknown, text: string | undefined): unknown =>
    text === undefined
      ? value
      : JSON.parse(JSON.stringify(value), (key, inner) => (key === 'arguments' && inner !== '' ? text : inner))
  let isFirst = true
  return events.map((event): StreamEvent => {
    if (event.type === 'response.function_call_arguments.delta' && texts.deltas !== undefined) {
      const delta = isFirst ? texts.deltas : ''
      isFirst = false
      return { ...event, delta }
    }
    if (event.type === 'response.function_call_arguments.done') return replaced(event, texts.textDone) as StreamEvent
    if (event.type === 'response.output_item.done') return replaced(event, texts.done) as StreamEvent
    if (event.type === 'response.completed') return replaced(event, texts.listed) as StreamEvent
    return event
  })
}

const given = events.find(({ type }) => type === 'response.function_call_arguments.done')?.['arguments'] as string
const cut = given.slice(0, -1)

test.each<[string, Parameters<typeof withArguments>[0]]>([
  ['the deltas lack', { deltas: cut }],
  ['the done item lacks', { done: cut }],
  ['all but the deltas lack', { textDone: cut, done: cut, listed: cut }],
  ['every place lacks', { deltas: cut, textDone: cut, done: cut, listed: cut }],
])('LangChain runs the intended call where %s the last bracket of its arguments', (_, texts) => {
  expect(JSON.parse(given)).toBeTypeOf('object')
  const damaged = withArguments(texts)
  expect(damaged).not.toEqual(events)
  expect(rules(damaged)).toEqual([])
  expect(explain(damaged, 'langchain').text).toContain('will run')
})

test('LangChain is accused where its deltas say other arguments than all else', () => {
  expect(rules(withArguments({ deltas: '{"other":true}' }))).toContain('client-calls')
})

test('a part of a summary that is streamed before the one that precedes it is read in the wrong order', () => {
  const later = { type: 'summary_text', text: 'Later.' }
  const isOfSummary = ({ type }: StreamEvent): boolean => type.startsWith('response.reasoning_summary')
  const withBoth = (item: Fields): Fields =>
    item['type'] === 'reasoning' ? { ...item, summary: [...(item['summary'] as object[]), later] } : item
  const events = stream('reasoning-summary').map((event): StreamEvent => {
    if (event.type === 'response.output_item.done') return { ...event, item: withBoth(event['item'] as Fields) }
    if (event.type !== 'response.completed') return event
    const response = event['response'] as Fields
    return { ...event, response: { ...response, output: (response['output'] as Fields[]).map(withBoth) } }
  })
  const texts = { summary_index: 1, text: later.text, delta: later.text }
  const own = events.filter(isOfSummary)
  const second = own
    .filter(({ type }, at) => !type.endsWith('.delta') || own[at - 1]?.type.endsWith('.delta') === false)
    .map((event): StreamEvent => {
      const part = event.type.endsWith('added') ? { ...later, text: '' } : later
      return { ...event, ...texts, part }
    })
  const first = events.findIndex(isOfSummary)
  const rest = events.slice(first).filter((event) => !isOfSummary(event))
  expect(rules([...events.slice(0, first), ...own, ...second, ...rest])).toEqual([])
  expect(rules([...events.slice(0, first), ...second, ...own, ...rest])).toEqual(['client-reasoning'])
})
