import { expect, test } from 'vitest'
import { Agreement } from '../../../../src/judge/conformance/clients/agreement/agreement.js'
import { type ClientModel, Seen, seenCall } from '../../../../src/judge/conformance/clients/client.js'
import { compare } from '../../../../src/judge/conformance/clients/compare.js'
import { OPENAI_READS } from '../../../../src/judge/conformance/clients/openai/reads.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { callTo, createRun, inTurn, messageOn } from '../../../core/translate/run.js'

const model: ClientModel = {
  client: 'openai',
  name: 'A client',
  versions: {},
  reads: { ...OPENAI_READS, refusals: true },
  rules: [],
  begin: () => ({ seen: new Seen(), read() {}, end() {} }),
}

function stream(): StreamEvent[] {
  const run = createRun({ request: { tools: [{ type: 'function', name: 'get_weather' }] } })
  run.push(
    inTurn(messageOn('commentary', 'I look.<|end|>'), callTo('functions.get_weather', '{"city":"Oslo"}<|call|>')),
  )
  run.end('stop')
  return JSON.parse(JSON.stringify(run.events))
}

/** What is reported for a client that saw this of a stream. */
function said(events: readonly StreamEvent[], look: (seen: Seen) => void): string[] {
  const agreed = new Agreement()
  for (const event of events) agreed.take(event)
  agreed.end()
  const seen = new Seen()
  seen.streamed.append('I look.')
  seen.calls.push(seenCall('get_weather', '{"city":"Oslo"}'))
  seen.ending = 'completed'
  look(seen)
  const all: string[] = []
  compare(seen, agreed, model, (rule, expected, got, words, at) => {
    all.push(`${rule}${at === undefined ? '' : ` at ${at.position}`}: expected ${expected}, got ${words ?? got}`)
  })
  return all
}

test('nothing is said of a client that saw all', () => {
  expect(said(stream(), () => {})).toEqual([])
})

test('a damaged delta is named with its item, its event, and what all else says', () => {
  const events = stream().map((event) =>
    event.type === 'response.output_text.delta' ? { ...event, delta: 'I loo.' } : event,
  )
  const at = events.findIndex(({ type }) => type === 'response.output_text.delta')
  const lost = (seen: Seen): void => {
    Object.assign(seen, {
      streamed: new Seen().streamed.append('I loo.'),
      final: new Seen().streamed.append('I look.'),
    })
  }
  expect(said(events, lost)).toEqual([
    `client-text at ${at}: expected the text "I look.", got "I loo." (item 0 (message): its deltas say "I loo.", all else "I look.")`,
  ])
})

test('arguments that no delta says are named', () => {
  const events = stream().filter(({ type }) => type !== 'response.function_call_arguments.delta')
  const lost = (seen: Seen): void => void seen.calls.splice(0, 1, seenCall('get_weather', '{}'))
  expect(said(events, lost)[0]).toContain(
    'expected get_weather with {"city":"Oslo"}, got get_weather with {} (item 1 (function_call): no delta says {"city":"Oslo"})',
  )
})

test('calls that come twice are two', () => {
  const twice = (seen: Seen): void => void seen.calls.push(seenCall('get_weather', '{"city":"Oslo"}'))
  expect(said(stream(), twice)[0]).toMatch(/^client-calls/)
})

test('after an exception nothing else is lost', () => {
  const threw = (seen: Seen): void => {
    seen.ending = 'threw'
    seen.calls.length = 0
  }
  expect(said(stream(), threw)).toEqual(['client-ending: expected A client to see it completed, got an exception'])
})

test('a call that was cut off may be offered or not', () => {
  const run = createRun({ request: { tools: [{ type: 'function', name: 'get_weather' }] } })
  run.push(inTurn(messageOn('commentary', 'I look.<|end|>'), callTo('functions.get_weather', '{"city":"Os')))
  run.end('max_output_tokens')
  const cut = JSON.parse(JSON.stringify(run.events)) as StreamEvent[]
  const offered = (seen: Seen): void => {
    seen.ending = 'incomplete'
  }
  const kept = (seen: Seen): void => {
    seen.ending = 'incomplete'
    seen.calls.length = 0
  }
  expect(said(cut, offered)).toEqual([])
  expect(said(cut, kept)).toEqual([])
})

test('nothing is said of a client that saw a response cancelled, and something of one that takes it for whole', () => {
  const run = createRun({ request: { tools: [{ type: 'function', name: 'get_weather' }] } })
  run.push(
    inTurn(messageOn('commentary', 'I look.<|end|>'), callTo('functions.get_weather', '{"city":"Oslo"}<|call|>')),
  )
  run.cancel()
  const seenAs = (ending: Seen['ending']): string[] =>
    said(JSON.parse(JSON.stringify(run.events)), (seen) => {
      seen.ending = ending
    })
  expect(seenAs('cancelled')).toEqual([])
  expect(seenAs('completed')).toEqual(['client-ending: expected A client to see it cancelled, got completed'])
})
