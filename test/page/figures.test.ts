import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AdminInterval, AdminRequest, AdminRunning } from '../../src/endpoint/server/admin/types.js'
import { hourOf } from '../../src/page/operate/hour.js'
import { addRequests } from '../../src/page/operate/known-requests.js'
import { placeRunning, type Slot } from '../../src/page/operate/slots.js'
import { bytesWords, durationWords, numberWords, shareWords } from '../../src/page/operate/words.js'
import { TOLD } from './operating.js'

const running = (id: string): AdminRunning => ({
  ...{ id, owner: 'ann', engine: 'gpt-oss', age_seconds: 1, tokens: 1 },
  ...{ tokens_per_second: null, cached_share: null },
})

describe('rows of what runs', () => {
  test('each response has one row, and keeps it for as long as it runs', () => {
    const moments = fc.array(fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')), { maxLength: 30 })
    fc.assert(
      fc.property(moments, (ids) => {
        let slots: readonly Slot[] = []
        ids.forEach((each, at) => {
          const next = placeRunning(slots, { at: 2 * at, running: each.map(running) })
          const rows = next.map((slot) => slot?.running.id)
          for (const id of each) {
            expect(rows.filter((row) => row === id)).toEqual([id])
            const before = slots.findIndex((slot) => slot?.running.id === id)
            if (before !== -1) expect(rows.indexOf(id)).toBe(before)
          }
          // Whatever else has a row has ended.
          for (const slot of next)
            if (slot && !each.some((id) => id === slot.running.id)) expect(slot.endedAt).toBeDefined()
          slots = next
        })
      }),
    )
  })

  test('one that has ended keeps its row for six seconds, then another may have it, and no row is left at the end', () => {
    const both = placeRunning([], { at: 0, running: [running('a'), running('b')] })
    const ended = placeRunning(both, { at: 2, running: [running('b'), running('c')] })
    expect(ended.map((slot) => slot?.running.id)).toEqual(['a', 'b', 'c'])
    const still = placeRunning(ended, { at: 7.9, running: [running('b')] })
    expect(still.map((slot) => slot?.running.id)).toEqual(['a', 'b', 'c'])
    const freed = placeRunning(still, { at: 8, running: [running('b'), running('d')] })
    expect(freed.map((slot) => slot?.running.id)).toEqual(['d', 'b', 'c'])
    expect(placeRunning(freed, { at: 20, running: [] }).map((slot) => slot?.endedAt)).toEqual([20, 20])
  })
})

describe('requests', () => {
  const request = (number: number): AdminRequest => ({ ...(TOLD.requests[0] as AdminRequest), number })

  test('come once each, newest first, in whichever order the workers tell them', () => {
    const known = addRequests([], [3, 7, 9].map(request))
    expect(addRequests(known, [7, 8, 9, 12].map(request)).map(({ number }) => number)).toEqual([12, 9, 8, 7, 3])
  })

  test('are kept up to a thousand', () => {
    const many = Array.from({ length: 1_500 }, (_, index) => request(index))
    expect(addRequests([], many).at(-1)?.number).toBe(500)
  })
})

describe('the hour', () => {
  const errors = (given: Readonly<Record<string, number>>): AdminInterval => {
    return { ...(TOLD.series[0] as AdminInterval), errors: given }
  }
  const linesOf = (...data: readonly AdminInterval[]) => {
    const unfinished = errors({ never: 1 })
    const hour = hourOf({ object: 'admin.series', interval_seconds: 10, data: [...data, unfinished] })
    return hour.charts
      .find(({ title }) => title.startsWith('Errors'))
      ?.lines.map(({ label, values }) => [label, ...values])
  }

  test('has a line for the codes that came most often, and one for all others', () => {
    const lines = linesOf(errors({ a: 1, b: 2, c: 3, d: 4, e: 5 }), errors({ a: 9, f: 1, ['__proto__']: 2 }))
    expect(lines).toEqual([
      ['a', 1, 9],
      ['e', 5, 0],
      ['d', 4, 0],
      ['c', 3, 0],
      ['all others', 2, 3],
    ])
  })

  test('says that there was none', () => {
    expect(linesOf(errors({}))).toEqual([['none', 0]])
  })
})

test('figures are said with the precision that helps', () => {
  expect([null, 0, 0.25, 9.96, 42.4, 12_345].map(numberWords)).toEqual(['–', '0', '0.3', '10', '42', '12,345'])
  expect([null, 0, 0.0123, 0.9996, 9.94, 59.6, 185, 3_725].map(durationWords)).toEqual([
    '–',
    '0 s',
    '12 ms',
    '1.0 s',
    '9.9 s',
    '1 min 0 s',
    '3 min 5 s',
    '1 h 2 min',
  ])
  expect([null, 0, 999, 84_312_345, 1e12].map(bytesWords)).toEqual(['–', '0 B', '999 B', '84.3 MB', '1 TB'])
  expect([null, 0, 0.714, 1].map(shareWords)).toEqual(['–', '0 %', '71 %', '100 %'])
})
