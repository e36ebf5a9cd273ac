import { describe, expect, test } from 'vitest'
import { createReport, type Violation } from '../../../../src/judge/conformance/index.js'
import { JUDGES } from '../../../../src/judge/conformance/judges.js'
import { sized } from '../../../support/runs.js'
import { BASES, type Damage, damaged, drop, type Loose, set, setItem } from '../invariants/streams.js'
import { reportOf } from './streams.js'

const violation = (fields: Partial<Violation>): Violation => ({
  rule: 'text-logprobs',
  severity: 'error',
  fault: 'server',
  position: 0,
  type: 'x',
  expected: 'a thing',
  got: 'another',
  ...fields,
})

const causesOf = (events: readonly Loose[]): string[] =>
  reportOf(events).causes.map(
    ({ lead, count, consequences }) =>
      `${lead.position} ${lead.rule} x${count}: ${consequences.map(({ first }) => first[0]?.rule).join(' ')}`,
  )

const setEach =
  (fields: Loose): Damage =>
  (events) => {
    for (const event of events) for (const name of Object.keys(fields)) delete event[name]
  }

describe('a report', () => {
  test('a report of a good stream has no cause', () => {
    expect(reportOf(BASES.talk())).toEqual({ events: 22, errors: 0, warnings: 0, unlisted: 0, causes: [] })
  })

  test('a report of a missing content_part.added is one cause that leads with where it was missed', () => {
    const [cause, ...others] = reportOf(damaged(BASES.answer(), drop('content_part.added'))).causes
    expect(others).toEqual([])
    expect(cause).toMatchObject({
      severity: 'error',
      fault: 'server',
      count: 4,
      lead: { rule: 'within-part', position: 3, about: { outputIndex: 0, contentIndex: 0, since: 2 } },
    })
    expect(cause?.consequences.map(({ first }) => first[0]?.rule)).toEqual([
      'part-follows-message',
      'item-is-its-parts',
    ])
  })

  test('a report of a field that is missing everywhere is one cause with its number', () => {
    const events = damaged(BASES.talk(), setEach({ sequence_number: undefined }))
    expect(causesOf(events)).toEqual(['0 sequence-numbers x22: event-shape'])
    expect(reportOf(events).causes[0]?.first.map(({ position }) => position)).toEqual([0, 1, 2])
  })

  test('a report of an event that was lost leads with the gap in the numbers', () => {
    const events = BASES.answer().toSpliced(3, 1)
    expect(causesOf(events)).toEqual(['3 sequence-numbers x1: within-part part-follows-message item-is-its-parts'])
    expect(reportOf(events).causes[0]?.lead.about?.evidence).toBe('lost')
  })

  test('a report does not explain an item by a number that was wrong before it began, or after it was done', () => {
    const events = BASES.summary().map((event, at) => ({
      ...event,
      sequence_number: at < 6 ? at : at + 93,
      ...(event.type === 'response.output_text.done' ? { text: 'other' } : {}),
    }))
    expect(causesOf(events)).toHaveLength(2)
  })

  test('a report takes no number for evidence if a server counts in another way', () => {
    const events = damaged(BASES.answer(), drop('content_part.added')).map((event, at) => ({
      ...event,
      sequence_number: at * 2,
    }))
    expect(causesOf(events).map((line) => line.replace(/:.*/, ''))).toContain('1 sequence-numbers x8')
  })

  test('a report keeps faults of two items that have nothing to do with each other apart', () => {
    const events = damaged(
      BASES.talk(),
      setItem('function_call', { call_id: 'call_other' }, ['done', 'terminal']),
      set('output_text.done', { text: 'other' }),
    )
    expect(causesOf(events).map((line) => line.split(' ')[1])).toEqual(['text-is-deltas', 'item-constant'])
  })

  test('a report explains a status that changed at the end by no other field of the item', () => {
    const events = damaged(
      BASES.talk(),
      setItem('message', { content: null }, ['added']),
      setItem('message', { status: 'incomplete' }, ['terminal']),
    )
    expect(causesOf(events).filter((line) => line.includes('terminal-items-unchanged'))).toEqual([
      '21 terminal-items-unchanged x1: ',
    ])
  })

  test('a report explains a field that is missing at the end by the fault of that field', () => {
    const events = damaged(BASES.talk(), setItem('function_call', { output_index: 1 }, ['done']))
    expect(causesOf(events).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      'event-keys x1: terminal-items-unchanged',
    ])
  })

  test('a report puts errors before warnings, the server’s faults before the model’s, and what comes first', () => {
    const report = createReport()
    report.add(violation({ rule: 'obfuscation', severity: 'warning', position: 0 }))
    report.add(violation({ rule: 'function-arguments-json', fault: 'model', position: 1 }))
    report.add(violation({ rule: 'seconds', position: 2 }))
    report.add(violation({ rule: 'one-terminal-event-last', position: 3 }))
    expect(report.causes().map(({ lead }) => lead.rule)).toEqual([
      'seconds',
      'one-terminal-event-last',
      'function-arguments-json',
      'obfuscation',
    ])
  })

  test('a report says the line that it was given', () => {
    const report = createReport()
    report.add(violation({}), { line: 12 })
    expect(report.causes()[0]?.lead.line).toBe(12)
  })

  test('a report may be asked in the middle of a stream', () => {
    const report = createReport()
    report.add(violation({}))
    expect(report.causes()).toHaveLength(1)
    report.add(violation({ position: 1 }))
    expect(report.causes()).toMatchObject([{ count: 2 }])
    expect(report.totals()).toEqual({ errors: 2, warnings: 0, unlisted: 0 })
  })

  test('a report of very many faulty events stays small', () => {
    const report = createReport()
    for (let position = 0; position < sized(100_000, 12_000); position++) {
      report.add(
        violation({
          rule: position % 2 === 0 ? 'within-item' : `rule-${position % 300}`,
          position,
          expected: `thing ${position} of "${position}"`,
          about: { outputIndex: position, itemId: `msg_${position}` },
        }),
      )
    }
    const causes = report.causes()
    expect(causes.length).toBe(100)
    expect(causes.every(({ first }) => first.length <= 3)).toBe(true)
    const { errors, unlisted } = report.totals()
    expect(causes.reduce((sum, { count, follow }) => sum + count + follow, unlisted)).toBe(errors)
    expect(JSON.stringify(causes).length).toBeLessThan(200_000)
  })
})

test('what a rule names as a possible cause is a rule of the same API, and a field if that rule names fields', () => {
  for (const { rules } of Object.values(JUDGES)) {
    const named = rules.flatMap(({ id, causes, causesOfField = {} }) => {
      const own = typeof causes === 'function' ? causes(violation({ rule: id, got: 'a different status' })) : causes
      return [own, ...Object.values(causesOfField)].flatMap((all) => Object.values(all ?? {}).flat())
    })
    expect(named.length).toBeGreaterThan(10)
    const unknown = named.filter((name) => {
      const [id, field] = name.split(':')
      const rule = rules.find((rule) => rule.id === id)
      return rule === undefined || (field !== undefined && !rule.namesField)
    })
    expect(unknown).toEqual([])
  }
})
