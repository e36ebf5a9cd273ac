import { describe, expect, test } from 'vitest'
import { Agreement } from '../../../../src/judge/conformance/clients/agreement/agreement.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { isFields } from '../../../../src/shared/fields.js'
import { damagesOf } from '../../../clients/judge/damages.js'
import { fixtureStreams } from '../../../clients/judge/streams.js'
import { callTo, createRun, inTurn, messageOn } from '../../../core/translate/run.js'

function agreementOf(events: readonly unknown[]): Agreement {
  const agreed = new Agreement()
  for (const event of events) if (isFields(event)) agreed.take(event as StreamEvent)
  agreed.end()
  return agreed
}

/** All that it says was made. */
function shown(events: readonly unknown[]): unknown {
  const {
    ending: { value: ending },
    output: { items, messages, reasoning, calls },
  } = agreementOf(events)
  return {
    ending,
    items: items.map(({ kind }) => kind),
    messages: messages.map(({ text, isRefusal, part }) => [text.plain, text.key, isRefusal, part.citations]),
    reasoning: reasoning.map(({ text, isSummary }) => [text.plain, text.key, isSummary]),
    calls: calls.map(({ type, name, namespace, arguments: given, isCut }) => [type, name, namespace, given.key, isCut]),
  }
}

/** A preamble and a call, as we stream them. */
function stream(): StreamEvent[] {
  const run = createRun({ request: { tools: [{ type: 'function', name: 'get_weather' }] } })
  run.push(
    inTurn(messageOn('commentary', 'I look.<|end|>'), callTo('functions.get_weather', '{"city":"Oslo"}<|call|>')),
  )
  run.end('stop')
  return JSON.parse(JSON.stringify(run.events))
}

const without = (type: RegExp): StreamEvent[] => stream().filter((event) => !type.test(event.type))

/** Nobody can say how a response ended whose end did not come. */
const isLost = (kind: string): boolean => /^no response\.(completed|incomplete|failed)$/.test(kind)

test('a single damage leaves the intended response unchanged, with one exception in a thousand', { timeout: 0 }, () => {
  const wrong: string[] = []
  let count = 0
  for (const { name, events } of fixtureStreams()) {
    const meant = JSON.stringify(shown(events))
    let nth = 0
    for (const damage of damagesOf(events)) {
      // All of them take half a minute; a prime number of steps visits all kinds of places.
      if (nth++ % 11 !== 0 || isLost(damage.kind)) continue
      count++
      if (JSON.stringify(shown(damage.events)) !== meant) wrong.push(`${name}, event ${damage.at}: ${damage.kind}`)
    }
  }
  expect(count).toBeGreaterThan(2000)
  expect(wrong.length / count, wrong.join('\n')).toBeLessThan(0.001)
})

describe('of a stream that leaves places out, the others decide', () => {
  test('a stream without deltas is read from its other events', () =>
    expect(shown(without(/\.delta$/))).toEqual(shown(stream())))
  test('a stream without announcements of items is read from its other events', () =>
    expect(shown(without(/output_item\.added$/))).toEqual(shown(stream())))
  test('a stream without done items is read from its other events', () =>
    expect(shown(without(/output_item\.done$/))).toEqual(shown(stream())))
  test('a stream without parts is read from its other events', () =>
    expect(shown(without(/content_part/))).toEqual(shown(stream())))

  test.each([[], null, undefined])('the output %j of the terminal response gives way to the events', (output) => {
    const events = stream().map((event) =>
      event.type === 'response.completed'
        ? { ...event, response: { ...(event['response'] as object), output } }
        : event,
    )
    expect(shown(events)).toEqual(shown(stream()))
  })

  test.each(['output_index', 'item_id', 'content_index'])(
    'a stream whose events have no %s is read all the same',
    (field) => {
      const events = stream().map(({ [field]: _, ...event }) => event)
      expect(shown(events)).toEqual(shown(stream()))
    },
  )

  test('another item_id in each event changes nothing that was meant', () => {
    const events = stream().map((event, at) => ('item_id' in event ? { ...event, item_id: `rotated_${at}` } : event))
    expect(shown(events)).toEqual(shown(stream()))
  })
})

test('items that come in turns are distinguished', () => {
  const delta = (index: number, text: string) => ({
    type: 'response.output_text.delta',
    output_index: index,
    content_index: 0,
    delta: text,
  })
  const added = (index: number) => ({
    type: 'response.output_item.added',
    output_index: index,
    item: { type: 'message', id: `msg_${index}`, content: [] },
  })
  const events = [added(0), added(1), delta(0, 'Hel'), delta(1, 'Wor'), delta(0, 'lo'), delta(1, 'ld')]
  expect(agreementOf(events).output.messages.map(({ text }) => text.plain)).toEqual(['Hello', 'World'])
})

test('a call that is open when the response is cut off is cut off', () => {
  const run = createRun({ request: { tools: [{ type: 'function', name: 'get_weather' }] } })
  run.push(callTo('functions.get_weather', '{"city":"Os'))
  run.end('max_output_tokens')
  const events = JSON.parse(JSON.stringify(run.events)) as StreamEvent[]
  expect(agreementOf(events).output.calls.map(({ isCut }) => isCut)).toEqual([true])
  const open = events.filter(({ type }) => !/\.done$/.test(type))
  expect(agreementOf(open).output.calls.map(({ isCut }) => isCut)).toEqual([true])
})

test('an error event without a terminal one is a failure', () => {
  expect(agreementOf([{ type: 'error', message: 'engine died' }]).ending).toMatchObject({
    value: 'failed',
    errorMessage: 'engine died',
  })
})

test('a value that is not an event is passed over', () => {
  expect(shown([null, 7, 'x', [], {}, { type: 7 }])).toMatchObject({ items: [] })
})
