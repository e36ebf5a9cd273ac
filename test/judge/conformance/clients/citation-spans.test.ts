import { expect, test } from 'vitest'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { judgeFor, stream } from './judge.js'

const { judge, rules } = judgeFor('langchain')

/** A stream whose annotations are changed in the events of these types. */
const changed = (types: RegExp): StreamEvent[] =>
  stream('web-search').map((event) =>
    types.test(event.type)
      ? (JSON.parse(JSON.stringify(event), (name, value) =>
          name === 'start_index' ? value + 3 : value,
        ) as StreamEvent)
      : event,
  )

test('a citation whose event has another span than the done part and item is told, with the event', () => {
  const [violation, ...others] = judge(changed(/annotation\.added$/))
  expect(others).toEqual([])
  expect(violation).toMatchObject({
    rule: 'langchain-citation-span',
    type: 'response.output_text.annotation.added',
    expected: 'the span 32 to 92 of the done part',
    got: '35 to 92',
  })
})

test('a span that is wrong in the part, or in the item, alone harms no user of LangChain', () => {
  expect(rules(changed(/content_part\.done$/))).toEqual([])
  expect(rules(changed(/output_item\.done$/))).toEqual([])
  expect(rules(stream('web-search'))).toEqual([])
})
