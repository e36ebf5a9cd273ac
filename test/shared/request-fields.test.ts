import { describe, expect, test } from 'vitest'
import { RequestError } from '../../src/shared/request-error.js'
import {
  flagAt,
  flagIn,
  integerAt,
  listAt,
  nameIn,
  objectAt,
  objectIn,
  objectsAt,
  optionalIntegerIn,
  optionalTextIn,
  textIn,
  textsAt,
  textsIn,
  wordIn,
} from '../../src/shared/request-fields.js'

function refusalOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return `${error.body.error.param}: ${error.message}`
  }
  return expect.unreachable('it was read')
}

describe('what a reader refuses, it refuses with the path, what is expected and what is there:', () => {
  test.each<[string, () => unknown, string, string]>([
    ['an object', () => objectAt([], 'a'), 'a', 'expected an object, but got an array instead.'],
    ['a list', () => listAt('b', 'a'), 'a', 'expected an array of objects, but got a string instead.'],
    ['a list of texts', () => textsAt({}, 'a'), 'a', 'expected an array of strings, but got an object instead.'],
    ['a text of a list', () => textsAt(['b', 1], 'a'), 'a[1]', 'expected a string, but got an integer instead.'],
    ['an object of a list', () => objectsAt([{}, 1], 'a'), 'a[1]', 'expected an object, but got an integer instead.'],
    ['a whole number', () => integerAt(1.5, 'a'), 'a', 'expected an integer, but got a decimal number instead.'],
    ['a flag', () => flagAt('yes', 'a'), 'a', 'expected a boolean, but got a string instead.'],
    ['a field in an object', () => textIn({ b: 1 }, 'b', 'a'), 'a.b', 'expected a string, but got an integer instead.'],
    ['a field of the body', () => flagIn({ b: 1 }, 'b', ''), 'b', 'expected a boolean, but got an integer instead.'],
  ])('%s', (_, read, param, message) => {
    expect(refusalOf(read)).toBe(`${param}: Invalid type for '${param}': ${message}`)
  })

  test.each<[string, () => unknown]>([
    ['a.b: Missing required parameter: ', () => textIn({ b: null }, 'b', 'a')],
    ['a.b: Missing required parameter: ', () => objectIn({}, 'b', 'a')],
    ["a.b: Invalid value: ''", () => nameIn({ b: '' }, 'b', 'a')],
    ["a.b: Invalid value: 'd'. Supported values are: 'c'.", () => wordIn({ b: 'd' }, 'b', 'a', ['c'])],
    ["a.b: Invalid 'a.b': integer below minimum value.", () => optionalIntegerIn({ b: 0 }, 'b', 'a', 1)],
  ])('%s', (begin, read) => {
    expect(refusalOf(read).startsWith(begin)).toBe(true)
  })
})

test('null and an inherited field count as absent', () => {
  const fields = Object.create({ b: 'inherited' }) as { readonly [field: string]: unknown }
  for (const given of [{ b: null }, fields]) {
    expect([optionalTextIn(given, 'b', 'a'), optionalIntegerIn(given, 'b', 'a'), flagIn(given, 'b', 'a')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(textsIn(given, 'b', 'a')).toEqual([])
  }
})
