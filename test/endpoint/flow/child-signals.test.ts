import fc from 'fast-check'
import { expect, test } from 'vitest'
import { childSignals } from '../../../src/endpoint/flow/child-signals.js'
import { listenerWarnings } from '../../support/listener-warnings.js'
import { RUNS } from '../../support/runs.js'

/** Returns a signal that counts its listeners. */
function watched(): { readonly controller: AbortController; readonly listeners: () => number } {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  signal.addEventListener = (type: string, listener: never) => {
    listeners.add(listener)
    add(type, listener, { once: true })
  }
  signal.removeEventListener = (type: string, listener: never) => {
    listeners.delete(listener)
    remove(type, listener)
  }
  return { controller, listeners: () => listeners.size }
}

test('a hundred child signals are one listener on their parent, and none when their work is over', async () => {
  const { controller, listeners } = watched()
  const signals = childSignals(controller.signal)
  const warnings = await listenerWarnings(async () => {
    const children = Array.from({ length: 100 }, () => signals.open())
    expect(listeners()).toBe(1)
    for (const { end } of children) end()
  })
  expect([warnings, listeners()]).toEqual([[], 0])
})

test('an abort reaches, with its reason, the child signals whose work goes on, and those that are opened later', () => {
  const steps = fc.array(fc.oneof(fc.constant('open' as const), fc.nat(9)), { maxLength: 30 })
  fc.assert(
    fc.property(steps, (steps) => {
      const { controller, listeners } = watched()
      const signals = childSignals(controller.signal)
      const children: ReturnType<typeof signals.open>[] = []
      const ended = new Set<number>()
      for (const step of steps) {
        if (step === 'open') children.push(signals.open())
        else if (step < children.length) {
          children[step]?.end()
          ended.add(step)
        }
        expect(listeners()).toBe(ended.size < children.length ? 1 : 0)
      }
      const reason = new Error('enough')
      controller.abort(reason)
      const isRight = children.every(({ signal }, at) =>
        ended.has(at) ? !signal.aborted : signal.aborted && signal.reason === reason,
      )
      expect(isRight).toBe(true)
      expect(signals.open().signal.reason).toBe(reason)
    }),
    { numRuns: RUNS },
  )
})
