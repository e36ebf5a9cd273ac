import type { Worker as ClusterWorker } from 'node:cluster'
import { sleep } from '../../../shared/system/sleep.js'
import type { Io } from '../../io.js'
import type { Family } from '../metric-families.js'
import { serve } from '../serve.js'
import type { ServeSettings } from '../settings.js'
import { METRICS_MS } from './gathered-metrics.js'
import type { FromWorker, ToWorker } from './messages.js'

/** Serves in a worker until it is told to stop, or the process that started it is gone. Returns the exit code. */
export async function serveAsWorker(worker: ClusterWorker, settings: ServeSettings, io: Io): Promise<number> {
  const isFirst = worker.id === 1
  let isListening = false
  /** What a later worker complains of at its start. The first one has said the same, unless it does not start. */
  let held = ''
  let read = (): Family[] => []
  const asked = new Map<number, (families: readonly Family[]) => void>()
  const signals = listenForSignals(worker, io)
  const tell = (message: FromWorker): void => void (worker.isConnected() && worker.send(message, () => {}))
  worker.on('message', (message: ToWorker) => {
    if (message.type === 'read_metrics') tell({ type: 'metrics_read', id: message.id, families: read() })
    if (message.type === 'metrics') asked.get(message.id)?.(message.families)
  })
  let questions = 0
  try {
    return await serve(
      settings,
      {
        ...io,
        ...signals,
        complain(text) {
          if (isFirst || isListening) io.complain(text)
          else held += text
        },
      },
      {
        isFirst,
        listening(about) {
          isListening = true
          tell({ type: 'listening', about })
        },
        measures(reader) {
          read = reader
        },
        async metricsOfAll() {
          const id = ++questions
          const answer = new Promise<readonly Family[]>((resolve) => asked.set(id, resolve))
          tell({ type: 'ask_metrics', id })
          const late = sleep(2 * METRICS_MS).then(() => undefined)
          return await Promise.race([answer, late]).finally(() => asked.delete(id))
        },
      },
    )
  } finally {
    if (!isListening) io.complain(held)
    tell({ type: 'metrics_read', id: 0, families: read() })
    if (worker.isConnected()) worker.process.disconnect()
  }
}

/**
 * Tells a worker to stop and to read its files again. A signal may reach all processes, of a terminal or a service, and
 * the first process passes it on besides: only that one says that it is the second.
 */
function listenForSignals(worker: ClusterWorker, io: Io): Pick<Io, 'onStop' | 'onReload'> {
  const stops = new Set<() => void>()
  const reloads = new Set<() => void>()
  let times = 0
  function stop(to: number): void {
    for (; times < to; times++) for (const listener of stops) listener()
  }
  const leave = io.onStop(() => stop(1))
  // Not heard: the first process passes it on. Without a listener it would end the worker.
  io.onReload(() => {})
  worker.on('message', (message: ToWorker) => {
    if (message.type === 'stop') stop(message.times)
    if (message.type === 'reload') for (const listener of reloads) listener()
  })
  worker.on('disconnect', () => {
    // Without it, Node ends the process at once.
    worker.exitedAfterDisconnect = true
    stop(1)
  })
  return {
    onStop(listener) {
      stops.add(listener)
      // It was told while it started.
      for (let told = 0; told < times; told++) queueMicrotask(listener)
      return () => {
        stops.delete(listener)
        leave()
      }
    },
    onReload(listener) {
      reloads.add(listener)
      return () => reloads.delete(listener)
    },
  }
}
