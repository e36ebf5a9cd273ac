import { describe, expect, test } from 'vitest'
import { type CheckedStream, createCheckedStream } from '../../src/cli/check-report.js'
import { widthOf } from '../../src/cli/terminal-text.js'
import { createChecker, type Violation } from '../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../src/judge/conformance/stream-event.js'
import {
  BASES,
  type Draft,
  damaged,
  drop,
  set,
  setAll,
  setItem,
  setResponse,
} from '../judge/conformance/invariants/streams.js'

const PLAIN = { columns: 100, hasColors: false }

/** Takes the checker's reports, and returns what is printed live. */
function take(stream: CheckedStream, violations: readonly Violation[], line?: number): string {
  return violations
    .map((one) => {
      stream.add(one, line)
      return stream.live(one, line)
    })
    .join('')
}

/** A stream that was watched, each event on every third line of its file. */
function watched(events: readonly Draft[], screen = PLAIN): { stream: CheckedStream; live: string; text: string } {
  const checker = createChecker()
  const stream = createCheckedStream({ profile: 'openai', number: 1, screen })
  let live = ''
  for (const [at, event] of events.entries()) live += take(stream, checker.push(event as StreamEvent), at * 3 + 1)
  live += take(stream, checker.end())
  return { stream, live, text: stream.end(events.length) }
}

const violation = (fields: Partial<Violation>): Violation => ({
  rule: 'within-part',
  severity: 'error',
  fault: 'server',
  position: 0,
  type: 'response.output_text.delta',
  expected: 'a thing',
  got: 'another',
  ...fields,
})

describe('the report of a stream', () => {
  test('the report of a stream that is as it should be is one line', () => {
    const { stream, live, text } = watched(BASES.answer())
    expect([live, text]).toEqual(['', 'stream 1: 10 events, 0 violations, 0 warnings (profile openai)\n'])
    expect(stream.isGood).toBe(true)
  })

  test('the report of a stream leads with the cause, its line, the expected and the actual value; its consequences stand below it', () => {
    const { stream, text } = watched(damaged(BASES.answer(), drop('content_part.added')))
    expect(text).toBe(
      `stream 1: 9 events, 5 violations, 1 warning, 1 cause (profile openai)
  error    line 10, event 3 response.output_text.delta, item 0, part 0
           expected an earlier event that added this part, got none
           within-part: Text comes after its part was added, and before the part is done.
           and 3 more like it: lines 13, 16, …
           and because of it: 2 more (part-follows-message, item-is-its-parts)
`,
    )
    expect(stream.isGood).toBe(false)
  })

  test('the report of a stream reports a lost event if its number never came', () => {
    const { text } = watched(BASES.answer().toSpliced(3, 1))
    expect(text).toContain('expected sequence_number 3, got 4: an event was lost here, which explains what follows\n')
    expect(text).toContain('and because of it: 6 more (within-part ×4, part-follows-message, item-is-its-parts)\n')
  })

  test('the report of a stream names an event that came twice or out of order, judging by the numbers', () => {
    const twice = BASES.answer().toSpliced(4, 0, BASES.answer()[3] as Draft)
    expect(watched(twice).text).toContain('got 3: an event came twice\n')
    const [a, b] = BASES.answer().slice(3, 5) as [Draft, Draft]
    expect(watched(BASES.answer().toSpliced(3, 2, b, a)).text).toContain('events came out of order\n')
  })

  test('the report of a stream names a field that is missing from every event once', () => {
    const events = BASES.talk().map(({ sequence_number: _, ...event }) => event)
    expect(watched(events as Draft[]).text).toBe(
      `stream 1: 22 events, 44 violations, 0 warnings, 1 cause (profile openai)
  error    line 1, event 0 response.created
           sequence_number is missing from all 22 events
           sequence-numbers: sequence_number is 0, 1, 2, ... across all events; a keepalive may
           repeat the last one.
           and because of it: 22 more (event-shape ×22)
`,
    )
    const some = damaged(BASES.answer(), setAll('output_text.delta', { item_id: undefined }))
    expect(watched(some).text).toContain('item_id is missing from 2 events\n')
  })

  test('the report of a stream gives the position of an event without a type, and puts missing events at the end there', () => {
    const { text, live } = watched([{ id: 7 } as never])
    expect(text).toContain('  error    line 1, event 0\n           expected an event with a type, got {"id":7}\n')
    expect(text).toContain('  error    at the end\n           expected response.completed')
    expect(live).toContain('error line 1: expected an event with a type')
    expect(live).toContain('error at the end: expected response.completed')
  })

  test("the report of a stream shows the model's output, and the server's result", () => {
    const call = (fields: object) =>
      damaged(BASES.call(), setItem('function_call', { ...fields }, ['done', 'terminal']))
    expect(watched(call({ arguments: { city: 'Paris' } })).text).not.toContain('The model wrote it')
    const { text } = watched(damaged(BASES.thoughts()))
    expect(text).toContain('The model wrote this; a server that passes it on is right.\n')
  })

  test('the report of a stream shows values, shortened, and without characters that move the cursor', () => {
    const evil = `\u001b[2J\u202e${'x'.repeat(500)}`
    const { text, live } = watched(damaged(BASES.answer(), set('content_part.done', { item_id: evil, type: evil })))
    for (const shown of [text, live]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
      expect(shown).not.toContain('x'.repeat(100))
    }
    expect(watched(damaged(BASES.answer(), setResponse('created', { status: 'searching' }))).text).toContain(
      '"searching"',
    )
  })

  test('the report of a stream stays within the columns', () => {
    const events = damaged(BASES.talk(), drop('content_part.added'), setResponse('completed', { id: 'other' }))
    for (const columns of [60, 80, 100, 200]) {
      const { text, live } = watched(events, { columns, hasColors: false })
      for (const line of `${live}${text}`.split('\n')) {
        expect([line, widthOf(line) <= columns || line.startsWith('stream')]).toEqual([line, true])
      }
    }
  })

  test('the report of a stream is coloured if the terminal has colours: red for errors, yellow for warnings, green if all is well', () => {
    const screen = { columns: 100, hasColors: true }
    const red = watched(damaged(BASES.answer(), drop('content_part.added')), screen)
    expect(red.text).toContain('\u001b[31m  error    \u001b[39m\u001b[4m\u001b[31mline 10, event 3')
    expect(red.live).toContain('\u001b[33mwarning\u001b[39m \u001b[4m\u001b[33mline 10')
    expect(watched(BASES.answer(), screen).text).toContain('\u001b[32mstream 1: ')
    expect(watched(BASES.thoughts()).text).not.toContain('\u001b')
  })

  test('the report of a stream for machines has the same causes', () => {
    const { stream } = watched(damaged(BASES.answer(), drop('content_part.added')))
    expect(JSON.parse(JSON.stringify(stream.json(9)))).toMatchObject({
      events: 9,
      errors: 5,
      warnings: 1,
      unlisted: 0,
      causes: [
        {
          severity: 'error',
          count: 4,
          follow: 2,
          lead: { rule: 'within-part', line: 10, position: 3, about: { outputIndex: 0, contentIndex: 0 } },
          consequences: [{ count: 1, first: [{ rule: 'part-follows-message' }] }, { count: 1 }],
        },
      ],
    })
  })
})

describe('a stream that is watched', () => {
  const stream = () => createCheckedStream({ profile: 'openai', number: 1, screen: PLAIN })

  test('a stream that is watched reports each violation in a short line', () => {
    expect(take(stream(), [violation({})], 12)).toBe(
      'error line 12 output_text.delta: expected a thing, got another (within-part)\n',
    )
    const { type: _, ...atEnd } = violation({ severity: 'warning' })
    expect(take(stream(), [atEnd])).toBe('warning at the end: expected a thing, got another (within-part)\n')
  })

  test('a watched stream mutes a rule after its third violation, and reports that once', () => {
    const watched = stream()
    const lines = Array.from({ length: 6 }, (_, position) => take(watched, [violation({ position })], position + 1))
    expect(lines.slice(3)).toEqual(['… further violations of within-part are only counted\n', '', ''])
    expect(take(watched, [violation({ rule: 'seconds', position: 6 })], 7)).toContain('(seconds)')
    expect(watched.end(7)).toContain('and 5 more like it')
  })

  test('a stream that is watched keeps no more of ten thousand faulty events than of ten', () => {
    const of = (count: number): number => {
      const watched = stream()
      for (let position = 0; position < count; position++) take(watched, [violation({ position })], position)
      return watched.end(count).length
    }
    expect(of(10_000) - of(10)).toBeLessThan(40)
  })
})
