import { expect, test } from 'vitest'
import { grown, NONE } from '../../src/translate/grown-list.js'

test('an empty list stays empty: it is everybody’s', () => {
  expect(grown(NONE, 1)).toEqual([1])
  expect(NONE).toEqual([])
})

test('any other list grows itself, so that n entries cost n', () => {
  const list = grown<number>(NONE, 1)
  expect(grown(list, 2)).toBe(list)
  expect(list).toEqual([1, 2])
})
