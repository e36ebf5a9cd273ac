import { expect, test } from 'vitest'
import { type Place, Votes } from '../../../../src/judge/conformance/clients/votes.js'

const at = { position: 0, type: 'x' }

function votes(...said: readonly (readonly [value: string, place: Place])[]): Votes<string> {
  const all = new Votes<string>()
  for (const [value, place] of said) all.add(value, place, at)
  return all
}

test('what most places say wins', () => {
  expect(votes(['a', 'added'], ['b', 'done'], ['a', 'deltas']).winner).toBe('a')
})

test('a place that says the same twice is one', () => {
  expect(votes(['a', 'added'], ['a', 'added'], ['a', 'added'], ['b', 'textDone'], ['b', 'part']).winner).toBe('b')
})

test('of two values with as many places, the one whose place speaks last is believed', () => {
  expect(votes(['a', 'terminal'], ['b', 'done']).winner).toBe('a')
  expect(votes(['a', 'added'], ['b', 'done']).winner).toBe('b')
})

test('a preference decides between as many, and not against more', () => {
  const isA = (value: string): boolean => value === 'a'
  expect(votes(['a', 'added'], ['b', 'done']).elected(isA)?.value).toBe('a')
  expect(votes(['a', 'added'], ['b', 'done'], ['b', 'terminal']).elected(isA)?.value).toBe('b')
})

test('a vote without votes has no winner', () => {
  expect(votes().winner).toBeUndefined()
})

test('a broken server cannot make a vote remember any number of values', () => {
  const all = votes(['a', 'added'])
  for (let count = 0; count < 1000; count++) all.add(`b${count}`, 'textDone', at)
  expect(all.all.length).toBeLessThan(100)
})
