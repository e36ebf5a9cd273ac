import { expect, test } from 'vitest'
import { toldDate } from '../../../src/cli/serve/told-date.js'

/** 23:30 on 2026-11-29 in UTC. */
const AT = Date.UTC(2026, 10, 29, 23, 30) / 1000

test.each([
  [undefined, 'UTC', '2026-11-29'],
  [undefined, 'Europe/Rome', '2026-11-30'],
  [undefined, 'America/New_York', '2026-11-29'],
  ['2026-02-03', undefined, '2026-02-03'],
  ['none', undefined, undefined],
])('--date %s --time-zone %s tells the model %s', (date, timeZone, told) => {
  const dateAt = toldDate(date, timeZone)
  expect(dateAt?.(AT)).toBe(told)
})

test('without both, the default of the endpoint holds', () => {
  expect(toldDate(undefined, undefined)).toBeUndefined()
})
