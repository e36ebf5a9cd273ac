import { expect, test } from 'vitest'
import { hashOf } from '../../../src/endpoint/prompt/text-hash.js'
import { atOnce, createWork } from '../../../src/shared/slices.js'

const LONG = 'a letter after another, '.repeat(100_000)

test('a long text is hashed in slices, and has the hash that it has at once', () => {
  const slices = hashOf(LONG, createWork())
  let pauses = 0
  let step = slices.next()
  for (; !step.done; step = slices.next()) pauses += 1
  // A slice is worth reading 16,384 characters; hashing is 8 times as fast.
  expect(pauses).toBe(Math.floor(LONG.length / (8 * 16_384)))
  expect(step.value).toBe(atOnce(hashOf(LONG, createWork(Number.POSITIVE_INFINITY))))
})

test('texts that differ in one letter, near the end of a slice, have different hashes', () => {
  const hashes = [0, 65_535, 65_536, LONG.length - 1].map((at) =>
    atOnce(hashOf(`${LONG.slice(0, at)}!${LONG.slice(at + 1)}`, createWork())),
  )
  expect(new Set([...hashes, atOnce(hashOf(LONG, createWork()))]).size).toBe(5)
})

test('a text has the same hash in every version: the marks of images are part of prompts, which other processes render again', () => {
  const hashes = ['', 'data:image/png;base64,iVBORw0KGgo=', LONG].map((text) => atOnce(hashOf(text, createWork())))
  expect(hashes).toEqual([2268784888632496, 8488995190335594, 6383647778412962])
})
