import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHarmonyParser } from '../../../src/core/harmony/event-parser.js'
import type { HarmonyMessage, Repair } from '../../../src/core/harmony/events.js'
import { HEADER_SPACE, HEADER_WORDS } from '../../../src/judge/conformance/arbitraries/header-soup.js'
import { RUNS } from '../../support/runs.js'

interface Said {
  readonly messages: HarmonyMessage[]
  readonly repairs: Repair[]
}

function parse(host: string, sampled: string): Said {
  const said: Said = { messages: [], repairs: [] }
  const toolNamed = (word: string): string | undefined => (/^(functions\.)?x$/.test(word) ? 'functions.x' : undefined)
  const parser = createHarmonyParser({ toolNamed }, (event) => {
    if (event.type === 'message_start') said.messages.push({ ...event.header, content: '' })
    else if (event.type === 'message_text') (said.messages.at(-1) as HarmonyMessage).content += event.text
    else if (event.type === 'repair') said.repairs.push(event.repair)
  })
  parser.pushText(host, 'host')
  parser.pushText(sampled, 'model')
  parser.end()
  return said
}

/** Whether an invented word is kept: in a message, in a field of its header, or in a repair. */
function isSomewhere(word: string, { messages, repairs }: Said): boolean {
  const inHeader = ({ name, recipient, contentType }: HarmonyMessage): boolean =>
    [name, recipient, recipient === undefined ? undefined : contentType].some((field) => field?.includes(word))
  return (
    messages.some((message) => message.content.includes(word) || inHeader(message)) ||
    repairs.some(({ text = '' }) => text.includes(word))
  )
}

describe('no word of a header is lost: it means something there, is text of the message, or is reported', () => {
  // The number of the word stands for `#`, so that each is looked for alone.
  const madeUp = fc.constantFrom(
    'zq#',
    'Zq#',
    'zq#,',
    '"zq#"',
    'zq#/html',
    'to=zq#',
    'user:zq#',
    'zq#?',
    '–zq#',
    'zq#{',
  )
  const word = fc.oneof({ weight: 3, arbitrary: madeUp }, { weight: 4, arbitrary: fc.constantFrom(...HEADER_WORDS) })
  const space = fc.oneof(
    { weight: 9, arbitrary: fc.constant(' ') },
    { weight: 1, arbitrary: fc.constantFrom(...HEADER_SPACE) },
  )
  const marker = fc.constantFrom('', '<|channel|>', '<|channel|>', '<|channel|>', '<|constrain|>', '<|start|>')
  const header = fc
    .array(fc.tuple(marker, fc.array(fc.tuple(space, word), { maxLength: 3 })), { minLength: 1, maxLength: 4 })
    .map((segments) => segments.map(([name, words]) => name + words.flat().join('').replace(/^ /, '')).join(''))
  const rest = fc.constantFrom(
    '<|message|>body<|end|>',
    '<|message|>{}<|call|>',
    '<|end|>',
    '<|call|>',
    '',
    ' {}<|call|>',
  )
  const begun = fc.constantFrom(
    '',
    '',
    '<|start|>assistant',
    '<|channel|>',
    '<|channel|>final',
    '<|channel|>analysis ',
    '<|start|>x to=assistant',
    '<|start|>x to=assistant<|message|>found',
    '<|start|>user<|message|>Hi<|end|>',
  )

  test('no word of any header is lost: it means something there, is text of the message, or is reported', () => {
    fc.assert(
      fc.property(begun, fc.array(fc.tuple(header, rest), { minLength: 1, maxLength: 2 }), (host, written) => {
        let count = 0
        const sampled = written
          .flat()
          .join('')
          .replace(/#/g, () => `_${count++}_`)
        const said = parse(host, sampled)
        for (let at = 0; at < count; at++) {
          const reported = JSON.stringify(said)
          expect(isSomewhere(`q_${at}_`, said), `word ${at} of ${host}|${sampled}: ${reported}`).toBe(true)
        }
      }),
      { numRuns: RUNS * 4 },
    )
  })
})

test("the model's part of a dropped header is reported if the host began it", () => {
  expect(parse('<|start|>assistant', '<|channel|>commentary to=functions.x').repairs).toEqual([
    { code: 'truncated_header', text: 'commentary to=functions.x' },
  ])
  expect(parse('<|start|>assistant<|channel|>comm', 'entary to=functions.x<|end|>').repairs).toEqual([
    { code: 'dropped_header', text: 'entary to=functions.x' },
  ])
})
