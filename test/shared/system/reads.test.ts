import { setImmediate as nextCheck } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { afterReads, reading } from '../../../src/shared/system/reads.js'

test('work that a read has caused is done once, after all reads, in order', async () => {
  const done: string[] = []
  for (const name of ['a', 'b']) reading(() => afterReads(() => done.push(name)))
  expect(done).toEqual([])
  await nextCheck()
  await nextCheck()
  expect(done).toEqual(['a', 'b'])
})

test('after a read that throws, work waits for no read', () => {
  const fails = (): never => {
    throw new Error('a wrong piece')
  }
  expect(() => reading(fails)).toThrow('a wrong piece')
  expect(afterReads(() => {})).toBe(false)
})

test('work that throws keeps no other work waiting', async () => {
  const thrown: unknown[] = []
  const { setImmediate: later } = globalThis
  const caught = (run: () => void) =>
    later(() => {
      try {
        run()
      } catch (error) {
        thrown.push(error)
      }
    })
  vi.stubGlobal('setImmediate', caught)
  onTestFinished(() => void vi.unstubAllGlobals())
  const done: string[] = []
  const error = new Error('no socket')
  reading(() => {
    afterReads(() => done.push('a'))
    afterReads(() => {
      throw error
    })
    afterReads(() => done.push('b'))
  })
  await nextCheck()
  await nextCheck()
  expect([done, thrown]).toEqual([['a', 'b'], [error]])
})
