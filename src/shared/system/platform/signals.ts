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

/** Calls the listener whenever the process is told to stop. Returns a function that unsubscribes. */
export function onStop(listener: () => void, process: SignaledProcess): () => void {
  const signals = stopSignals(process.platform)
  for (const signal of signals) process.on(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
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
