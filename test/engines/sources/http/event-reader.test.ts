import { expect, it } from 'vitest'
import { EventReader } from '../../../../src/engines/sources/http/event-reader.js'
import { searched } from '../../../support/searched.js'

it('an event stream of carriage returns is read in one pass', () => {
  const reader = new EventReader(() => {})
  expect(searched(() => reader.feed('\r'.repeat(5_000)))).toBeLessThan(10 * 5_000)
})
