import { expect, test } from 'vitest'
import { createCaptureChecker, type Finding } from '../../../../src/judge/conformance/index.js'
import { BASES } from './streams.js'

const frame = (event: object): string =>
  `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`
const capture = (events: readonly object[]): string => events.map(frame).join('')

function findings(text: string): Finding[] {
  const checker = createCaptureChecker({ profile: 'messages' })
  return [...checker.push(text), ...checker.end()]
}

const rules = (text: string): string[] =>
  findings(text).flatMap((finding) => (finding.kind === 'violation' ? [finding.violation.rule] : []))

test('several messages in one capture are a stream each', () => {
  const found = findings(capture(BASES.text) + capture(BASES.call))
  expect(found.map(({ kind }) => kind)).toEqual(['stream', 'terminal', 'end', 'stream', 'terminal', 'end'])
})

test('a frame without an event line is lost for the Anthropic SDK', () => {
  expect(rules(capture(BASES.text).replace('event: message_stop\n', ''))).toEqual(['messages-event-named'])
})

test('a frame whose event line has another type is lost for the Anthropic SDK', () => {
  expect(rules(capture(BASES.text).replace('event: message_stop', 'event: stop'))).toEqual(['messages-event-named'])
})

test('two events in one frame are reported', () => {
  expect(rules(capture(BASES.text).replace('\n\nevent: message_stop', '\nevent: message_stop'))).toContain(
    'frames-apart',
  )
})

test('JSON lines are read as well', () => {
  expect(findings(BASES.thought.map((event) => `${JSON.stringify(event)}\n`).join('')).map(({ kind }) => kind)).toEqual(
    ['stream', 'terminal', 'end'],
  )
})

test('no end of the other APIs is asked for', () => {
  expect(rules(`${capture(BASES.text)}data: [DONE]\n\n`)).toEqual([])
})

test.each([
  ['Responses', { type: 'response.created', response: {} }],
  ['Chat Completions', { object: 'chat.completion.chunk', choices: [] }],
])('a stream of %s is named', (name, event) => {
  const [found] = findings(`data: ${JSON.stringify(event)}\n\n`)
  expect(found).toMatchObject({ kind: 'format' })
  expect((found as { description: string }).description).toContain(name)
})
