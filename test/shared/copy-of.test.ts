import { expect, test } from 'vitest'
import { copyOf } from '../../src/core/responses/copy-of.js'

test('a copy is equal and shares nothing with its original', () => {
  const data = { list: [1, 'two', null, { deep: [true] }], empty: [], nothing: {} }
  const copy = copyOf(data)
  expect(copy).toEqual(data)
  ;(copy.list[3] as { deep: boolean[] }).deep.push(false)
  copy.empty.push(1 as never)
  Object.assign(copy.nothing, { something: 1 })
  expect(data).toEqual({ list: [1, 'two', null, { deep: [true] }], empty: [], nothing: {} })
})

test('copyOf returns a value that is not an object unchanged', () => {
  for (const data of [null, undefined, 0, '', 'text', false]) expect(copyOf(data)).toBe(data)
})

test('copyOf copies __proto__ as a field like any other', () => {
  const data = JSON.parse('{"__proto__":{"isMine":true},"a":{"__proto__":1}}') as object
  const copy = copyOf(data)
  expect(JSON.stringify(copy)).toBe(JSON.stringify(data))
  expect('isMine' in copy).toBe(false)
})

test('copyOf copies values that are nested as deeply as structuredClone allows', () => {
  for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ inner })]) {
    let data: unknown = 1
    for (let depth = 0; depth < 1_500; depth++) data = wrap(data)
    expect(() => copyOf(data)).not.toThrow()
  }
})

test('copyOf copies a date as a date: JSON writes when it is, and not {}', () => {
  const data = { at: new Date(0) }
  const copy = copyOf(data)
  expect(JSON.stringify(copy)).toBe('{"at":"1970-01-01T00:00:00.000Z"}')
  expect(copy.at).not.toBe(data.at)
})
