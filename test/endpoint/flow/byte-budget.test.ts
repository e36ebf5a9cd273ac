import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ByteHold,
  type ByteRefusal,
  createByteBudget,
  PURPOSES,
  type Reclaimable,
} from '../../../src/endpoint/flow/byte-budget.js'
import { runs } from '../../support/runs.js'

/** A store that keeps conversations of these sizes, the least recently used first, of which some are in use. */
interface DoubleStore extends Reclaimable {
  keep(bytes: number): void
  readonly sizes: readonly number[]
  inUse: number
}

function doubleStore(): DoubleStore {
  let sizes: number[] = []
  const listeners = new Set<() => void>()
  const sum = (): number => sizes.reduce((all, one) => all + one, 0)
  const store: DoubleStore = {
    inUse: 0,
    get sizes() {
      return sizes
    },
    get bytes() {
      return sum()
    },
    keep(bytes) {
      sizes.push(bytes)
      for (const listener of listeners) listener()
    },
    reclaim(bytes) {
      const before = sum()
      while (before - sum() < bytes && sizes.length > store.inUse) {
        // The last ones are in use.
        sizes = sizes.slice(1)
        for (const listener of listeners) listener()
      }
      return before - sum()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return store
}

describe('what an owner may hold', () => {
  test('an owner who is alone has three quarters of all', () => {
    const budget = createByteBudget({ total: 1000 })
    const hold = budget.hold('ann', 'body')
    expect([hold.take(750), hold.take(1), hold.bytes]).toEqual(['taken', 'too_large', 750])
  })

  test('an owner who comes late finds room, however much another holds', () => {
    const budget = createByteBudget({ total: 1000 })
    expect(budget.hold('ann', 'body').take(750)).toBe('taken')
    expect(budget.hold('bob', 'body').take(180)).toBe('taken')
    expect(budget.hold('eve', 'body').take(50)).toBe('taken')
  })

  test('an owner with less than three times what is free goes on while one with more waits', () => {
    const budget = createByteBudget({ total: 1000 })
    const ann = budget.hold('ann', 'body')
    ann.take(600)
    expect(budget.hold('bob', 'body').take(250)).toBe('taken')
    expect(budget.hold('ann', 'response').take(1)).toBe('retry')
    ann.give(400)
    expect(budget.hold('ann', 'response').take(100)).toBe('taken')
  })

  test('two owners who take all that they get have three sevenths each', () => {
    const budget = createByteBudget({ total: 7000 })
    const holds = [budget.hold('ann', 'body'), budget.hold('bob', 'body')]
    for (let step = 0; step < 7000; step++) for (const hold of holds) hold.take(1)
    expect(holds.map(({ bytes }) => bytes)).toEqual([3000, 3000])
  })

  test('bytes that have no room at any time are told apart from those that have none now', () => {
    const refusals: ByteRefusal[] = []
    const budget = createByteBudget({ total: 1000, onRefuse: (refusal) => refusals.push(refusal) })
    budget.hold('ann', 'body').take(700)
    expect(budget.hold('ann', 'queue').take(600)).toBe('retry')
    expect(budget.hold('ann', 'queue').take(751)).toBe('too_large')
    expect(refusals.map(({ purpose, bytes, taken, use }) => [purpose, bytes, taken, use.used])).toEqual([
      ['queue', 600, 'retry', 700],
      ['queue', 751, 'too_large', 700],
    ])
  })

  test('bytes that move to another purpose are neither asked for nor given back', () => {
    const budget = createByteBudget({ total: 1000 })
    const body = budget.hold('ann', 'body')
    body.take(700)
    const response = body.moveTo('response')
    body.end()
    expect([budget.use.by.body, budget.use.by.response, response.bytes]).toEqual([0, 700, 700])
    expect(body.take(1)).toBe('retry')
    response.end()
    response.end()
    expect(budget.use.used).toBe(0)
  })
})

describe('a store', () => {
  test('a store gives back whole conversations, the least recently used first, where an owner wants room', () => {
    const budget = createByteBudget({ total: 1000 })
    const store = doubleStore()
    budget.join(store)
    for (const bytes of [100, 150, 200]) store.keep(bytes)
    const hold = budget.hold('ann', 'body')
    expect(hold.take(500)).toBe('taken')
    expect(store.sizes).toEqual([200])
    expect(budget.use).toMatchObject({ used: 700, by: { store: 200, body: 500 } })
  })

  test('a store gives back nothing that is in use, and the owner is refused', () => {
    const budget = createByteBudget({ total: 1000 })
    const store = doubleStore()
    store.inUse = 2
    budget.join(store)
    for (const bytes of [100, 200, 200]) store.keep(bytes)
    expect(budget.hold('ann', 'body').take(600)).toBe('retry')
    expect(store.sizes).toEqual([200, 200])
  })

  test('a store keeps at most half of all', () => {
    const budget = createByteBudget({ total: 1000 })
    const store = doubleStore()
    budget.join(store)
    for (let count = 0; count < 20; count++) store.keep(90)
    expect([store.sizes.length, budget.use.by.store]).toEqual([5, 450])
  })

  test('a store that leaves is counted no more', () => {
    const budget = createByteBudget({ total: 1000 })
    const store = doubleStore()
    store.keep(50)
    const leave = budget.join(store)
    expect(budget.use.used).toBe(50)
    leave()
    store.keep(50)
    expect(budget.use.used).toBe(0)
  })
})

type Step =
  | { readonly kind: 'take'; readonly hold: number; readonly bytes: number }
  | { readonly kind: 'give'; readonly hold: number; readonly bytes: number }
  | { readonly kind: 'end'; readonly hold: number }
  | { readonly kind: 'move'; readonly hold: number; readonly purpose: number }
  | { readonly kind: 'keep'; readonly bytes: number }

const at = fc.nat({ max: 11 })
const size = fc.oneof(fc.nat({ max: 400 }), fc.constantFrom(0, 1, 750, 751, 1000, 5000))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('take' as const), hold: at, bytes: size }),
  fc.record({ kind: fc.constant('give' as const), hold: at, bytes: size }),
  fc.record({ kind: fc.constant('end' as const), hold: at }),
  fc.record({ kind: fc.constant('move' as const), hold: at, purpose: fc.nat({ max: PURPOSES.length - 1 }) }),
  fc.record({ kind: fc.constant('keep' as const), bytes: size }),
)

test('whatever is taken and given, no more is held than there is, every byte is counted once, and all come back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat({ max: 3 }), (steps, inUse) => {
      const total = 1000
      const budget = createByteBudget({ total })
      const store = doubleStore()
      store.inUse = inUse
      budget.join(store)
      const holds: ByteHold[] = Array.from({ length: 12 }, (_, index) => budget.hold(`owner ${index % 4}`, 'body'))
      for (const one of steps) {
        const hold = 'hold' in one ? (holds[one.hold] as ByteHold) : undefined
        const before = hold?.bytes ?? 0
        if (one.kind === 'take') {
          const taken = hold?.take(one.bytes)
          expect(hold?.bytes).toBe(taken === 'taken' ? before + one.bytes : before)
        } else if (one.kind === 'give') hold?.give(one.bytes)
        else if (one.kind === 'end') hold?.end()
        else if (one.kind === 'keep') store.keep(one.bytes)
        else if (one.kind === 'move') holds[one.hold] = (hold as ByteHold).moveTo(PURPOSES[one.purpose] ?? 'body')
        const { used, by } = budget.use
        const held = holds.reduce((all, { bytes }) => all + bytes, 0)
        expect(used).toBe(held + store.bytes)
        expect(Object.values(by).reduce((all, bytes) => all + bytes, 0)).toBe(used)
        expect(held).toBeLessThanOrEqual(total)
        if (inUse === 0) expect(used).toBeLessThanOrEqual(total)
      }
      for (const hold of holds) hold.end()
      expect(budget.use.used).toBe(store.bytes)
    }),
    { numRuns: runs(2000) },
  )
})
