import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Queue, queue, type Write } from '../../../src/endpoint/flow/queue.js'
import { runs } from '../../support/runs.js'

const RUNS = runs(200)

/** A writer of numbers that reports its progress, and whether it was closed. */
function counting(count: number, failure?: Error) {
  const seen = { written: 0, closed: 0 }
  const stream: Queue<number, string | undefined> = queue(
    async (write) => {
      for (let value = 1; value <= count; value++) {
        seen.written = value
        await write(value)
      }
      if (failure !== undefined) throw failure
      return 'the end'
    },
    () => {
      seen.closed += 1
    },
  )
  return { stream, seen }
}

/** Runs all work that is not waiting. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A writer that waits until it is closed. */
function stuck(closing: () => void | Promise<void> = () => {}) {
  let interrupt = (): void => {}
  const closed = new Promise<void>((resolve) => {
    interrupt = resolve
  })
  return queue<number, string>(
    async (write) => {
      await write(1)
      await closed
      await write(2)
      return 'interrupted'
    },
    () => {
      interrupt()
      return closing()
    },
  )
}

describe('a queue that is pulled', () => {
  test('a queue that is pulled gives each value, and then the result once', async () => {
    const { stream } = counting(2)
    expect(await stream.next()).toEqual({ done: false, value: 1 })
    expect(await stream.next()).toEqual({ done: false, value: 2 })
    expect(await stream.next()).toEqual({ done: true, value: 'the end' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('a queue makes nothing before it is asked, and nothing that is not asked for', async () => {
    const { stream, seen } = counting(3)
    await settled()
    expect(seen.written).toBe(0)
    await stream.next()
    await settled()
    expect(seen.written).toBe(1)
  })

  test('a queue that was begun makes its first value before it is asked, and no other until then', async () => {
    const { stream, seen } = counting(3)
    stream.begin()
    await settled()
    expect(seen.written).toBe(1)
    expect(await stream.next()).toEqual({ done: false, value: 1 })
    await settled()
    expect(seen.written).toBe(1)
    expect(await stream.next()).toEqual({ done: false, value: 2 })
  })

  test('a queue answers several calls of next() at once, in their order', async () => {
    const { stream } = counting(2)
    const steps = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()])
    expect(steps.map(({ value }) => value)).toEqual([1, 2, 'the end', undefined])
  })

  test('a queue that is pulled rejects once with what its writer throws, after its values', async () => {
    const { stream } = counting(1, new Error('broken'))
    expect(await stream.next()).toEqual({ done: false, value: 1 })
    await expect(stream.next()).rejects.toThrow('broken')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('a queue that is hurried gives its values at the pace of its reader', async () => {
    const { stream, seen } = counting(3)
    stream.finish()
    await settled()
    expect(seen.written).toBe(3)
    const values: number[] = []
    for await (const value of stream) values.push(value)
    expect(values).toEqual([1, 2, 3])
  })
})

describe('a queue that writes to its reader', () => {
  test('a queue that writes to its reader gives each value in the step in which it is made', async () => {
    const { stream } = counting(3)
    const values: number[] = []
    const result = stream.drainTo((value) => void values.push(value))
    await settled()
    expect(values).toEqual([1, 2, 3])
    expect(await result).toBe('the end')
  })

  test('a queue that was pulled before writes the rest to its reader', async () => {
    const { stream } = counting(3)
    await stream.next()
    const values: number[] = []
    await stream.drainTo((value) => void values.push(value))
    expect(values).toEqual([2, 3])
  })

  test('a queue that writes to its reader waits while the reader is busy', async () => {
    const { stream, seen } = counting(3)
    let resume = (): void => {}
    const result = stream.drainTo(
      () =>
        new Promise<void>((resolve) => {
          resume = resolve
        }),
    )
    await settled()
    expect(seen.written).toBe(1)
    resume()
    await settled()
    expect(seen.written).toBe(2)
    resume()
    await settled()
    resume()
    expect(await result).toBe('the end')
  })

  test('a queue that is hurried does not wait for a busy reader, and gives it the rest in order', async () => {
    const { stream, seen } = counting(3)
    const values: number[] = []
    let resume = (): void => {}
    const result = stream.drainTo((value) => {
      values.push(value)
      if (value > 1) return
      return new Promise<void>((resolve) => {
        resume = resolve
      })
    })
    stream.finish()
    await settled()
    expect([seen.written, values]).toEqual([3, [1]])
    resume()
    expect(await result).toBe('the end')
    expect(values).toEqual([1, 2, 3])
  })

  test.each<[how: string, write: Write<number>]>([
    [
      'throws',
      () => {
        throw new Error('cannot write')
      },
    ],
    ['rejects', () => Promise.reject(new Error('cannot write'))],
  ])("a queue is closed if the reader that it writes to %s, and rejects with the reader's error", async (_, write) => {
    const { stream, seen } = counting(3)
    await expect(stream.drainTo(write)).rejects.toThrow('cannot write')
    await settled()
    expect(seen.closed).toBe(1)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('a queue that writes to its reader rejects with what its writer throws, after its values', async () => {
    const { stream } = counting(1, new Error('broken'))
    const values: number[] = []
    await expect(stream.drainTo((value) => void values.push(value))).rejects.toThrow('broken')
    expect(values).toEqual([1])
  })

  test('a queue that writes to its reader resolves when the reader has left, although it was busy', async () => {
    const { stream, seen } = counting(3)
    const result = stream.drainTo(() => new Promise(() => {}))
    await settled()
    await stream.return('')
    expect(await result).toBe('the end')
    expect(seen).toEqual({ written: 3, closed: 1 })
  })
})

describe('a queue whose reader leaves', () => {
  test('a queue whose reader leaves is closed at once, answers the next() under way, and drops what is written then', async () => {
    const stream = stuck()
    expect(await stream.next()).toEqual({ done: false, value: 1 })
    const step = stream.next()
    const returned = stream.return('mine')
    expect(await step).toEqual({ done: true, value: 'interrupted' })
    expect(await returned).toEqual({ done: true, value: 'mine' })
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('a queue is closed when the loop over it is left', async () => {
    const { stream, seen } = counting(3)
    for await (const value of stream) {
      expect(value).toBe(1)
      break
    }
    expect(seen.closed).toBe(1)
  })

  test('a queue whose reader leaves before it began never begins', async () => {
    const { stream, seen } = counting(3)
    await stream.return('')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(seen).toEqual({ written: 0, closed: 1 })
  })

  test('a queue whose reader leaves before it began does its work nevertheless, if that was asked for', async () => {
    const written: number[] = []
    const stream = queue<number, void>(
      async (write) => {
        await write(1)
        written.push(1)
      },
      () => {},
      { runsAnyway: true },
    )
    await stream.return()
    expect(written).toEqual([1])
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('throw() closes a queue, and rejects with the error that it is given', async () => {
    const { stream, seen } = counting(3)
    await stream.next()
    await expect(stream.throw(new Error('mine'))).rejects.toThrow('mine')
    expect(seen.closed).toBe(1)
  })

  test('a queue that is over is not closed when its reader leaves', async () => {
    const { stream, seen } = counting(0)
    await stream.next()
    await stream.return('')
    expect(seen.closed).toBe(0)
  })

  test('return() of a queue rejects if closing it rejects', async () => {
    const stream = stuck(() => Promise.reject(new Error('cannot close')))
    await stream.next()
    await expect(stream.return('')).rejects.toThrow('cannot close')
  })
})

test('however it is read, a queue gives every value once, in order, and then the result', async () => {
  const anyStep = fc.constantFrom('pull', 'hurry', 'wait')
  await fc.assert(
    fc.asyncProperty(
      fc.nat(12),
      fc.array(anyStep, { maxLength: 8 }),
      fc.array(fc.boolean()),
      async (count, steps, busy) => {
        const { stream } = counting(count)
        const values: number[] = []
        for (const step of steps) {
          if (step === 'hurry') stream.finish()
          else if (step === 'wait') await settled()
          else {
            const { done, value } = await stream.next()
            if (done) {
              expect(values.length).toBe(count)
              expect(value).toBe('the end')
              return
            }
            values.push(value)
          }
        }
        const result = await stream.drainTo((value) => {
          values.push(value)
          return busy[value % Math.max(busy.length, 1)] ? settled() : undefined
        })
        expect(values).toEqual(Array.from({ length: count }, (_, index) => index + 1))
        expect(result).toBe('the end')
      },
    ),
    { numRuns: RUNS },
  )
})
