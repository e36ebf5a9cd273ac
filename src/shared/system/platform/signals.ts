import type { EventEmitter } from 'node:events'
import { isatty } from 'node:tty'

/** The part of a process by which it is signaled. */
export interface SignaledProcess extends Pick<EventEmitter, 'on' | 'off' | 'once' | 'emit'> {
  readonly platform: string
  exit(code: number): void
}

/**
 * The signals that tell a process to stop. On Windows also Ctrl-Break, and the closing of its console window, after which
 * the system ends it some ten seconds later.
 */
const stopSignals = (platform: string): readonly string[] =>
  platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']

/**
 * Signals this close are one: Ctrl-C reaches every process of a terminal, and npm and npx pass it on to their child besides.
 */
const ECHO_MS = 200

/**
 * Calls the listener whenever the process is told to stop. Returns a function that unsubscribes, once no echo of the last
 * signal can follow, which would end the process.
 */
export function onStop(listener: () => void, process: SignaledProcess): () => void {
  const signals = stopSignals(process.platform)
  let last = Number.NEGATIVE_INFINITY
  const stop = (): void => {
    const now = performance.now()
    if (now - last < ECHO_MS) return
    last = now
    listener()
  }
  const leave = (): void => {
    for (const signal of signals) process.off(signal, stop)
  }
  for (const signal of signals) process.on(signal, stop)
  return () => {
    const rest = last + ECHO_MS - performance.now()
    if (rest > 0) setTimeout(leave, rest)
    else leave()
  }
}

/**
 * Calls the listener whenever the process is told to read its files again: at SIGHUP, unless its terminal was closed,
 * which tells it to stop. Windows has no such signal. Returns a function that unsubscribes.
 *
 * @param isTerminal - whether a file descriptor is a terminal
 */
export function onReload(
  listener: () => void,
  process: SignaledProcess,
  isTerminal: (descriptor: number) => boolean = isatty,
): () => void {
  if (process.platform === 'win32') return () => {}
  // Under `nohup` there is no terminal.
  const terminals = [0, 1, 2].filter(isTerminal)
  const hangUp = (): void => {
    if (terminals.length === 0 || terminals.some(isTerminal)) listener()
    // As without a listener for SIGHUP, if nothing can be stopped yet.
    else if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(129)
  }
  process.on('SIGHUP', hangUp)
  return () => process.off('SIGHUP', hangUp)
}

/** Calls the listener at the first Ctrl-C. The second one ends the process. */
export function onceInterrupted(listener: () => void, process: SignaledProcess): void {
  process.once('SIGINT', listener)
}
