import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listenForStopSignals } from '../../src/cli/stop-signals.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const interrupt = () => process.emit('SIGINT', 'SIGINT')

test('a Ctrl-C that npm passes on besides is one signal, and one that follows later is a second', () => {
  const signals = listenForStopSignals(() => {})
  interrupt()
  vi.advanceTimersByTime(50)
  interrupt()
  expect(signals.count).toBe(1)
  vi.advanceTimersByTime(300)
  process.emit('SIGTERM', 'SIGTERM')
  expect(signals.count).toBe(2)
  signals.end()
  vi.runAllTimers()
})

test('a signal that npm passes on late does not end a process that has been told to stop', () => {
  const listeners = process.listenerCount('SIGINT')
  const signals = listenForStopSignals(() => {})
  interrupt()
  signals.end()
  vi.advanceTimersByTime(50)
  expect(process.listenerCount('SIGINT')).toBe(listeners + 1)
  expect(interrupt()).toBe(true)
  vi.runAllTimers()
  expect(process.listenerCount('SIGINT')).toBe(listeners)
})

test('a process that got no signal stops listening at once', () => {
  const listeners = process.listenerCount('SIGTERM')
  listenForStopSignals(() => {}).end()
  expect(process.listenerCount('SIGTERM')).toBe(listeners)
})
