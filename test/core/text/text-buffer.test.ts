import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { appendText, createTextBuffer, isEmpty, textOf } from '../../../src/core/text/text-buffer.js'

describe('a text buffer', () => {
  test('a text buffer holds the appended text, whenever it is asked and however it was cut', () => {
    const deltas = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 40 }), fc.integer({ max: 99, min: 0 })), {
      maxLength: 300,
      size: 'max',
    })
    fc.assert(
      fc.property(deltas, (said) => {
        const buffer = createTextBuffer()
        let whole = ''
        for (const [delta, draw] of said) {
          appendText(buffer, delta)
          whole += delta
          expect(isEmpty(buffer)).toBe(false)
          if (draw === 0) expect(textOf(buffer)).toBe(whole)
        }
        expect(textOf(buffer)).toBe(whole)
        expect(isEmpty(buffer)).toBe(whole === '')
      }),
    )
  })

  test('a text buffer is plain data that continues where a copy of it was taken', () => {
    const buffer = createTextBuffer()
    for (let count = 0; count < 500; count++) appendText(buffer, `${count} `)
    const copy = JSON.parse(JSON.stringify(buffer)) as typeof buffer
    for (const one of [buffer, copy]) for (let count = 500; count < 600; count++) appendText(one, `${count} `)
    expect(textOf(copy)).toBe(textOf(buffer))
    expect(textOf(copy).endsWith('598 599 ')).toBe(true)
  })

  test('a text buffer keeps fewer than 64 deltas beside blocks of 64', () => {
    const buffer = createTextBuffer()
    for (let count = 0; count < 3_200; count++) appendText(buffer, 'delta ')
    appendText(buffer, 'delta ')
    expect(buffer.deltas).toEqual(['delta '])
    expect(buffer.blocks).toEqual(Array.from({ length: 50 }, () => 'delta '.repeat(64)))
  })
})
