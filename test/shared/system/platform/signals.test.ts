import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  onceInterrupted,
  onReload,
  onStop,
  type SignaledProcess,
} from '../../../../src/shared/system/platform/signals.js'

interface FakeProcess extends SignaledProcess {
  /** The codes with which it was told to exit. */
  readonly exits: number[]
}

function processOf(platform: string): FakeProcess {
  const exits: number[] = []
  return Object.assign(new EventEmitter(), { platform, exits, exit: (code: number) => void exits.push(code) })
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Sends signals, a second apart. Returns those that were handled by the listener. */
function handled(process: FakeProcess, signals: readonly string[], calls: () => number): string[] {
  return signals.filter((signal) => {
    const before = calls()
    process.emit(signal, signal)
    vi.advanceTimersByTime(1_000)
    return calls() > before
  })
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP', 'SIGUSR2']

describe.each([
  ['linux', ['SIGINT', 'SIGTERM']],
  ['darwin', ['SIGINT', 'SIGTERM']],
  ['win32', ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP']],
])('on %s', (platform, stops) => {
  test(`${stops.join(', ')} stop it, until it unsubscribes`, () => {
    const process = processOf(platform)
    let calls = 0
    const end = onStop(() => void calls++, process)
    expect(handled(process, SIGNALS, () => calls)).toEqual(stops)
    end()
    expect(handled(process, SIGNALS, () => calls)).toEqual([])
  })

  test('the first Ctrl-C interrupts it, and the second has no listener, so that it ends the process', () => {
    const process = processOf(platform) as FakeProcess & EventEmitter
    let calls = 0
    onceInterrupted(() => void calls++, process)
    process.emit('SIGINT')
    expect([calls, process.listenerCount('SIGINT')]).toEqual([1, 0])
  })
})

describe('a Ctrl-C that npm passes on to a process which the terminal has told already', () => {
  test('stops it once, and one that follows later stops it again', () => {
    const process = processOf('linux')
    let calls = 0
    onStop(() => void calls++, process)
    process.emit('SIGINT')
    vi.advanceTimersByTime(50)
    process.emit('SIGINT')
    expect(calls).toBe(1)
    vi.advanceTimersByTime(200)
    process.emit('SIGINT')
    expect(calls).toBe(2)
  })

  test('does not end a process that no longer waits for signals', () => {
    const process = processOf('linux') as FakeProcess & EventEmitter
    onStop(() => {}, process)()
    expect(process.listenerCount('SIGINT')).toBe(0)
    const end = onStop(() => {}, process)
    process.emit('SIGINT')
    end()
    expect(process.listenerCount('SIGINT')).toBe(1)
    vi.advanceTimersByTime(200)
    expect(process.listenerCount('SIGINT')).toBe(0)
  })
})

describe.each(['linux', 'darwin'])('SIGHUP on %s', (platform) => {
  test('tells it to read its files again, without a terminal and on one', () => {
    for (const terminals of [[], [0, 2]]) {
      const process = processOf(platform)
      let calls = 0
      const end = onReload(
        () => void calls++,
        process,
        (descriptor) => terminals.includes(descriptor),
      )
      expect(handled(process, SIGNALS, () => calls)).toEqual(['SIGHUP'])
      end()
      expect(handled(process, SIGNALS, () => calls)).toEqual([])
      expect(process.exits).toEqual([])
    }
  })

  test('stops it when its terminal was closed, or ends it with 129 if nothing can be stopped yet', () => {
    const process = processOf(platform)
    let [stops, reloads, isOpen] = [0, 0, true]
    onReload(
      () => void reloads++,
      process,
      () => isOpen,
    )
    isOpen = false
    process.emit('SIGHUP')
    expect([process.exits, stops]).toEqual([[129], 0])
    onStop(() => void stops++, process)
    process.emit('SIGHUP')
    expect([process.exits, stops, reloads]).toEqual([[129], 1, 0])
  })
})

test('on Windows SIGHUP, which closing the console sends, stops it once, and never reads files again', () => {
  const process = processOf('win32')
  let [stops, reloads] = [0, 0]
  onReload(
    () => void reloads++,
    process,
    () => true,
  )
  onStop(() => void stops++, process)
  process.emit('SIGHUP')
  expect([stops, reloads, process.exits]).toEqual([1, 0, []])
})
