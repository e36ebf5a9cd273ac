import { describe, expect, test } from 'vitest'
import { closable, createWaiter } from '../../src/shared/closable.js'

const never = new Promise<never>(() => {})

/** Yields 1, then waits for a promise that never resolves. */
function stuck() {
  const waiter = createWaiter()
  const seen = { closed: 0, finished: 0 }
  async function* body(): AsyncGenerator<number, string | undefined> {
    try {
      yield 1
      await waiter.wait(never)
      return 'interrupted'
    } finally {
      seen.finished += 1
    }
  }
  const generator = closable(body(), () => {
    seen.closed += 1
    waiter.interrupt()
  })
  return { generator, seen }
}

describe('a closable generator', () => {
  test('return() closes a generator before anything is awaited, and answers the next() under way first', async () => {
    const { generator, seen } = stuck()
    expect(await generator.next()).toEqual({ done: false, value: 1 })
    const step = generator.next()
    const returned = generator.return('mine')
    expect(seen.closed).toBe(1)
    expect(await step).toEqual({ done: true, value: 'interrupted' })
    expect(await returned).toEqual({ done: true, value: 'mine' })
    expect(seen.finished).toBe(1)
  })

  test('throw() closes a generator, and rejects with the error that it is given', async () => {
    const { generator, seen } = stuck()
    await generator.next()
    await expect(generator.throw(new Error('mine'))).rejects.toThrow('mine')
    expect(seen).toEqual({ closed: 1, finished: 1 })
  })

  test('a closable generator is closed when the loop over it is left', async () => {
    const { generator, seen } = stuck()
    for await (const value of generator) {
      expect(value).toBe(1)
      break
    }
    expect(seen).toEqual({ closed: 1, finished: 1 })
  })

  test('a closable generator is closed though it never began', async () => {
    const { generator, seen } = stuck()
    await generator.return()
    expect(await generator.next()).toEqual({ done: true, value: undefined })
    expect(seen).toEqual({ closed: 1, finished: 0 })
  })

  test.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('cannot close')
      },
    ],
    ['rejects', () => Promise.reject(new Error('cannot close'))],
  ])('return() of a closable generator rejects if closing it %s', async (_, close) => {
    const generator = closable(
      (async function* () {
        yield 1
      })(),
      close,
    )
    await expect(generator.return()).rejects.toThrow('cannot close')
  })
})

describe('a waiter', () => {
  test('a waiter gives what its promise gives', async () => {
    const { wait } = createWaiter()
    expect(await wait(Promise.resolve(1))).toBe(1)
    expect(await wait(2)).toBe(2)
    await expect(wait(Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  test('a waiter that is interrupted waits no more, now or later', async () => {
    const { wait, interrupt } = createWaiter()
    const waiting = wait(never)
    interrupt()
    expect(await waiting).toBeUndefined()
    expect(await wait(never)).toBeUndefined()
    expect(await wait(Promise.reject(new Error('too late')))).toBeUndefined()
  })
})
