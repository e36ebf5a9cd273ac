import { expect, test } from 'vitest'
import { createFairQueue } from '../../../../src/endpoint/stores/database/fair-queue.js'

function taken(...given: readonly (readonly [work: string, owner: string | undefined])[]): string[] {
  const queue = createFairQueue<string>()
  for (const [work, owner] of given) queue.add(work, owner === undefined ? 'first' : { owner })
  const all: string[] = []
  for (let next = queue.next(); next !== undefined; next = queue.next()) all.push(next)
  return all
}

test('owners take turns in the queue of a store, and the work of each is done in its order', () => {
  const work = taken(['a1', 'ann'], ['a2', 'ann'], ['a3', 'ann'], ['b1', 'bob'], ['b2', 'bob'], ['c1', 'cy'])
  expect(work).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('what keeps responses alive is taken before the work of any owner', () => {
  expect(taken(['a1', 'ann'], ['renewal', undefined], ['b1', 'bob'])).toEqual(['renewal', 'a1', 'b1'])
})

test('an owner whose work was taken waits behind those who came meanwhile', () => {
  const queue = createFairQueue<string>()
  for (const work of ['a1', 'a2', 'a3']) queue.add(work, { owner: 'ann' })
  expect(queue.next()).toBe('a1')
  queue.add('b1', { owner: 'bob' })
  expect([queue.next(), queue.next(), queue.next(), queue.next()]).toEqual(['a2', 'b1', 'a3', undefined])
})
