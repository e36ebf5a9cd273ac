import { expect, test } from 'vitest'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { judgeFor, stream } from './judge.js'

const { rules } = judgeFor('codex')
const answer = stream('plain-answer')

/** The stream with a `response.incomplete` before its message is done. */
function cutFor(reason: string): StreamEvent[] {
  const at = answer.findIndex(({ type }) => type === 'response.output_text.done')
  const { response } = answer.at(-1) as unknown as { readonly response: object }
  const cut = { ...response, status: 'incomplete', incomplete_details: { reason } }
  const event = { type: 'response.incomplete', sequence_number: 0, response: cut }
  return [...answer.slice(0, at), event as unknown as StreamEvent, ...answer.slice(at)]
}

test('codex reads no further than a response that the limit of tokens cut', () => {
  expect(rules(cutFor('max_output_tokens'))).toContain('client-text')
})

test('codex reads on after a response that a content filter cut', () => {
  expect(rules(cutFor('content_filter'))).not.toContain('client-text')
})

test.each<[string, string, string]>([
  ['a done message', 'response.output_item.done', 'codex-reads-message'],
  ['the completed response', 'response.completed', 'codex-reads-completed'],
])('codex ignores %s with half of a surrogate pair in it', (_, type, rule) => {
  const texts = answer.map((event) => JSON.stringify(event))
  const text = texts.find(
    (event) => event.includes(`"type":"${type}"`) && event.includes('"type":"output_text"'),
  ) as string
  const half = JSON.parse(text.replaceAll(/"text":"[^"]/g, '"text":"\\ud83d'))
  expect(rules(answer.map((event, at) => (texts[at] === text ? half : event)))).toContain(rule)
})
