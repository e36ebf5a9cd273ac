import fc from 'fast-check'
import { expect, test } from 'vitest'
import { didYouMean } from '../../src/shared/did-you-mean.js'
import { RUNS } from '../support/runs.js'

const KNOWN = ['concurrency', 'authorize', 'apiKey', 'on-disconnect', 'port', 'host']

test.each([
  ['concurency', 'concurrency'],
  ['authorise', 'authorize'],
  ['apikey', 'apiKey'],
  ['api-key', 'apiKey'],
  ['onDisconnect', 'on-disconnect'],
  ['prot', 'port'],
  ['hosts', 'host'],
])('a misspelled word names the one that is near: %s', (word, name) => {
  expect(didYouMean(word, KNOWN)).toBe(`, did you mean ${name}?`)
})

test('a word that is near to none gives no advice', () => {
  expect(['x', 'temperature', '', 'cat'].map((word) => didYouMean(word, KNOWN))).toEqual(['', '', '', ''])
})

test('one wrong letter in a long word is found wherever it stands', () => {
  fc.assert(
    fc.property(fc.nat(10), fc.constantFrom('x', 'q', '9'), (at, letter) => {
      const word = `${'concurrency'.slice(0, at)}${letter}${'concurrency'.slice(at + 1)}`
      expect(didYouMean(word, KNOWN)).toBe(', did you mean concurrency?')
    }),
    { numRuns: RUNS },
  )
})
