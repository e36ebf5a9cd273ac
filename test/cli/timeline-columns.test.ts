import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnsFor, TOKEN_WIDTH } from '../../src/cli/timeline-columns.js'

describe('the columns of a timeline', () => {
  test('a timeline of 80 columns has the token and its events side by side, and nothing else', () => {
    expect(columnsFor(80)).toMatchObject({
      idEnd: undefined,
      state: undefined,
      harmony: undefined,
      token: 13,
      events: { start: 29, width: 51 },
      foldsHost: true,
    })
  })

  test('a timeline of 100 columns has room for the parser’s events', () => {
    const { idEnd, state, harmony, events, foldsHost } = columnsFor(100)
    expect({ idEnd, state, foldsHost }).toEqual({ idEnd: undefined, state: undefined, foldsHost: true })
    expect({ harmony, events }).toEqual({ harmony: { start: 29, width: 27 }, events: { start: 58, width: 42 } })
  })

  test.each([120, 200])('a timeline of %i columns has everything', (width) => {
    const { idEnd, state, harmony, foldsHost } = columnsFor(width)
    expect({ idEnd, state, foldsHost }).toEqual({ idEnd: 18, state: 36, foldsHost: false })
    expect(harmony?.start).toBe(45)
  })

  test('events stand to the right of everything else, and end where the terminal does, at every width', () => {
    fc.assert(
      fc.property(fc.integer({ min: 53, max: 400 }), (width) => {
        const { token, harmony, events } = columnsFor(width)
        expect(events.start).toBeGreaterThan(token + TOKEN_WIDTH)
        if (harmony !== undefined) expect(events.start).toBeGreaterThan(harmony.start + harmony.width)
        expect(events.start + events.width).toBe(width)
      }),
    )
  })
})
