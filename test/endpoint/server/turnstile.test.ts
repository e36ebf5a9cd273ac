import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTurnstile } from '../../../src/endpoint/server/service/limits/turnstile.js'
import { answer } from '../../../src/testing/index.js'
import { runs } from '../../support/runs.js'
import { endpoint } from './endpoint.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a turnstile', () => {
  test('a turnstile lets all pass in their order, and no more than its number in a turn', async () => {
    const law = fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(12)), async (most, arrivals) => {
      const next: (() => void)[] = []
      const { pass } = createTurnstile(most, (work) => void next.push(work))
      const passed: number[] = []
      let count = 0
      async function takeTurn(arriving: number): Promise<void> {
        const before = passed.length
        for (const work of next.splice(0)) work()
        for (let at = 0; at < arriving; at++) {
          const id = count++
          Promise.resolve(pass()).then(() => passed.push(id))
        }
        await turn()
        expect(passed.length - before).toBeLessThanOrEqual(most)
      }
      for (const arriving of arrivals) await takeTurn(arriving)
      while (next.length > 0) await takeTurn(0)
      expect(passed).toEqual(Array.from({ length: count }, (_, id) => id))
    })
    await fc.assert(law, { numRuns: runs(250) })
  })

  test('a turnstile delays nothing in a turn that has room', () => {
    const { pass } = createTurnstile(2, () => {})
    expect([pass(), pass()]).toEqual([undefined, undefined])
    expect(pass()).toBeInstanceOf(Promise)
  })

  test('work that is aborted while it waits leaves its place to the next, and is told why', async () => {
    const next: (() => void)[] = []
    const { pass } = createTurnstile(1, (work) => void next.push(work), 2)
    const work = new AbortController()
    expect(pass()).toBeUndefined()
    const aborted = pass(work)
    const second = pass()
    work.abort(new Error('left'))
    await expect(aborted).rejects.toThrow('left')
    const third = pass()
    for (const run of next.splice(0)) run()
    await second
    for (const run of next.splice(0)) run()
    await third
    expect(() => pass(work)).toThrow('left')
  })

  test('more requests than may wait are refused with 429, and those that wait are answered', async () => {
    const { ask } = endpoint(() => answer('Hi!'))
    const answers = Array.from({ length: 4_200 }, () => ask('GET', '/models/gpt-oss'))
    const counts = new Map<number, number>()
    for (const { status, body } of await Promise.all(answers)) {
      if (status === 429) expect(body.error.code).toBe('rate_limit_exceeded')
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
    expect([...counts]).toEqual([
      [200, 4_100],
      [429, 100],
    ])
  })

  test('many requests that come at once are begun over several turns of the event loop, and all are answered', async () => {
    const { create, service } = endpoint(() => answer('Hi!'))
    const answers = Array.from({ length: 60 }, () => create({ input: 'Hi' }))
    let most = 0
    let isOver = false
    let before = 0
    const all = Promise.all(answers).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await turn()
      most = Math.max(most, service.load.running - before)
      before = service.load.running
    }
    expect((await all).map(({ status }) => status)).toEqual(Array(60).fill(200))
    expect(most).toBeLessThanOrEqual(8)
  })
})
