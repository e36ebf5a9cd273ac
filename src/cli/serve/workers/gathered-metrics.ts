import { sleep } from '../../../shared/system/sleep.js'
import { type Family, sumFamilies, withoutGauges } from '../metric-families.js'

/** How long workers may take to tell their metrics, in milliseconds. One that takes longer counts as it last was. */
export const METRICS_MS = 1000

/** A worker that can be asked for its metrics, which it tells with the id. */
export interface MeasuredWorker {
  ask(id: number): void
}

/** The metrics of all workers, those that have ended included. */
export interface GatheredMetrics {
  /** Adds a worker that has started. */
  add(worker: MeasuredWorker): void
  /** Takes what a worker tells. */
  take(worker: MeasuredWorker, id: number, families: readonly Family[]): void
  /** Removes a worker that has ended. What it counted stays, so that no counter falls. */
  remove(worker: MeasuredWorker): void
  /** Asks all workers, and adds up. */
  gather(): Promise<Family[]>
}

export function createGatheredMetrics(): GatheredMetrics {
  const latest = new Map<MeasuredWorker, readonly Family[]>()
  let past: readonly Family[] = []
  let asked = 0
  let restarts = 0
  /** The workers that have not answered the last question. */
  const silent = new Set<MeasuredWorker>()
  let answered = (): void => {}
  let gathering: Promise<Family[]> | undefined

  function heard(worker: MeasuredWorker): void {
    if (silent.delete(worker) && silent.size === 0) answered()
  }

  async function ask(): Promise<Family[]> {
    asked += 1
    const all = new AbortController()
    answered = () => all.abort()
    for (const worker of latest.keys()) silent.add(worker)
    for (const worker of latest.keys()) worker.ask(asked)
    if (silent.size > 0) await sleep(METRICS_MS, all.signal)
    const own = workerFamilies(latest.size - silent.size, restarts)
    silent.clear()
    return sumFamilies([past, ...latest.values(), own])
  }

  return {
    add(worker) {
      latest.set(worker, [])
    },
    take(worker, id, families) {
      if (latest.has(worker)) latest.set(worker, families)
      if (id === asked) heard(worker)
    },
    remove(worker) {
      past = sumFamilies([past, withoutGauges(latest.get(worker) ?? [])])
      latest.delete(worker)
      restarts += 1
      heard(worker)
    },
    gather() {
      gathering ??= ask().finally(() => {
        gathering = undefined
      })
      return gathering
    },
  }
}

/** The metrics of the workers themselves. */
export function workerFamilies(answering: number, ended: number): Family[] {
  return [
    {
      name: 'harmony_workers',
      help: 'Workers that answer.',
      type: 'gauge',
      samples: [['harmony_workers', answering]],
    },
    {
      name: 'harmony_workers_ended_total',
      help: 'Workers that have ended, and were started again.',
      type: 'counter',
      samples: [['harmony_workers_ended_total', ended]],
    },
  ]
}
