import { describe, expect, it } from 'vitest'
import { FIRST_SPECIAL, markerId, markerText, SPECIAL, VOCABULARY_SIZE } from '../../../src/core/harmony/vocabulary.js'

describe('markerId', () => {
  it('markerId is the way back from markerText, for every special token', () => {
    const ids = Array.from({ length: VOCABULARY_SIZE - FIRST_SPECIAL }, (_, index) => FIRST_SPECIAL + index)
    expect(ids.filter((id) => markerId(markerText(id).slice(2, -2)) !== id)).toEqual([])
    expect(markerId('channel')).toBe(SPECIAL.channel)
    expect(markerId('reserved_200013')).toBe(200013)
  })

  it("markerId knows gpt-tokenizer's name, too", () => {
    expect(markerId('endofprompt')).toBe(200018)
    expect(markerId('reserved_200018')).toBe(200018)
  })

  it.each([
    ['a word', 'foo'],
    ['nothing', ''],
    ['a property of every object', 'constructor'],
    ['a token with a name of its own', 'reserved_200005'],
    ['an ordinary token', 'reserved_199997'],
    ['an id after the last', 'reserved_201088'],
    ['no id', 'reserved_'],
    ['another way to write the id', 'reserved_0200013'],
    ['a number with a fraction', 'reserved_200013.0'],
    ['a fraction', 'reserved_200013.5'],
    ['an exponent', 'reserved_200013e0'],
    ['space', 'reserved_ 200013'],
    ['another case', 'Reserved_200013'],
  ])('markerId knows no token that is named after %s', (_what, name) => {
    expect(markerId(name)).toBeUndefined()
  })
})
