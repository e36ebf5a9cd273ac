import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineFeeds } from '../../src/shared/line-feeds.js'
import { RUNS } from '../support/runs.js'

describe('line feeds', () => {
  it('line feeds take the place of each line end, however the text is cut', () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('\r', '\n', 'a') }))
    fc.assert(
      fc.property(pieces, (cut) => {
        expect(cut.map(createLineFeeds()).join('')).toBe(cut.join('').replace(/\r\n|\r/g, '\n'))
      }),
      { numRuns: RUNS },
    )
  })

  it('line feeds come with the piece in which the line ends', () => {
    const read = createLineFeeds()
    expect(['a\r', '\nb', '\r'].map(read)).toEqual(['a\n', 'b', '\n'])
  })
})
