import type { MemoryUse } from '../../flow/byte-budget.js'
import type { Metric } from '../observe/metric.js'
import type { LiveFigures } from '../observe/watch.js'
import { createRequestRing, type IsQuiet } from './request-ring.js'
import { createSeries, INTERVAL_SECONDS, type IntervalCounts } from './series.js'
import type { AdminCancelled, AdminNow, AdminPart, AdminRequest } from './types.js'

/** The figures of one process. Plain JSON: those of several are added by `adminNow`, `adminRequests`, `adminSeries`. */
export interface AdminSnapshot {
  /** What runs in it. */
  readonly now: AdminNow
  /** Its last requests, oldest first. */
  readonly requests: readonly AdminRequest[]
  /** Its last hour, oldest first. */
  readonly intervals: readonly IntervalCounts[]
}

/** One process, for its operator. */
export interface AdminProcess {
  /** Its figures. */
  snapshot(): AdminSnapshot
  /** Asks its parts whether they answer. */
  parts(): Promise<readonly AdminPart[]>
  /** Cancels a response that runs here. A finished one stays as it is. Undefined if none of this id is known here. */
  cancel(responseId: string): Promise<AdminCancelled | undefined>
}

/** All processes of a server, for its operator. */
export interface AdminProcesses {
  /** The figures of each of them. */
  snapshots(): Promise<readonly AdminSnapshot[]>
  /** The parts of each of them. */
  parts(): Promise<readonly (readonly AdminPart[])[]>
  /** Cancels a response that runs in one of them: see {@link AdminProcess.cancel}. */
  cancel(responseId: string): Promise<AdminCancelled | undefined>
}

/** Returns a server of one process. */
export function singleProcess(own: AdminProcess): AdminProcesses {
  return {
    snapshots: async () => [own.snapshot()],
    parts: async () => [await own.parts()],
    cancel: (responseId) => own.cancel(responseId),
  }
}

/** What a process tells of itself. */
export interface AdminProcessOptions {
  /** Unix time in seconds. */
  readonly clock: () => number
  readonly isQuiet: IsQuiet
  readonly running: () => readonly LiveFigures[]
  readonly sampled: () => number
  readonly load: () => { readonly running: number; readonly waiting: number }
  readonly memory: () => Pick<MemoryUse, 'used' | 'total'>
  readonly parts: () => Promise<readonly AdminPart[]>
  /** Cancels a running response; undefined if it does not run here. */
  readonly cancel: (responseId: string) => Promise<AdminCancelled['status'] | undefined>
}

/** Counts what happens in a process. */
export interface CountingProcess extends AdminProcess {
  take(metric: Metric): void
  /** Ends its timer. */
  stop(): void
}

/** Creates the figures of this process. Its timer runs from the first metric on, and keeps no process alive. */
export function createAdminProcess(options: AdminProcessOptions): CountingProcess {
  const { clock, isQuiet, load, memory, sampled } = options
  const gauges = () => ({ ...load(), sampled: sampled(), memoryBytes: memory().used })
  const ring = createRequestRing(clock, isQuiet)
  const series = createSeries(clock, gauges)
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Ticks at the end of each interval. */
  function startTimer(): void {
    timer = setTimeout(
      () => {
        series.tick()
        startTimer()
      },
      (INTERVAL_SECONDS - (clock() % INTERVAL_SECONDS)) * 1000,
    )
    const { unref } = timer as { unref?: () => void }
    unref?.call(timer)
  }

  function now(): AdminNow {
    const { used, total } = memory()
    return {
      ...{ object: 'admin.now', at: clock() },
      running: options.running().map((figures) => ({
        id: figures.responseId,
        owner: figures.owner,
        engine: figures.model,
        age_seconds: figures.ageSeconds,
        tokens: figures.tokens,
        tokens_per_second: figures.tokensPerSecond,
        cached_share: figures.cachedShare,
      })),
      waiting: load().waiting,
      tokens_per_second: series.tokensPerSecond,
      memory: { used_bytes: used, total_bytes: total },
    }
  }

  return {
    take(metric) {
      if (timer === undefined) startTimer()
      series.take(metric)
      const added = ring.take(metric)
      if (added !== undefined) series.add(added)
    },
    snapshot: () => ({
      now: now(),
      requests: [...ring.requests],
      intervals: structuredClone(series.intervals) as IntervalCounts[],
    }),
    parts: options.parts,
    async cancel(id) {
      const status = (await options.cancel(id)) ?? ring.endOf(id)
      return status && { object: 'response', id, status }
    },
    stop: () => clearTimeout(timer),
  }
}

/** Returns what runs in one or several processes. */
export function adminNow(processes: readonly AdminNow[]): AdminNow {
  const sum = (of: (process: AdminNow) => number): number => processes.reduce((all, each) => all + of(each), 0)
  return {
    object: 'admin.now',
    at: processes.reduce((latest, { at }) => Math.max(latest, at), 0),
    running: processes.flatMap(({ running }) => running).sort((a, b) => b.age_seconds - a.age_seconds),
    waiting: sum(({ waiting }) => waiting),
    tokens_per_second: sum((each) => each.tokens_per_second),
    memory: {
      used_bytes: sum(({ memory }) => memory.used_bytes),
      total_bytes: sum(({ memory }) => memory.total_bytes),
    },
  }
}

/** Returns the parts of one or several processes: each once, failing if it fails in one of them. */
export function adminParts(processes: readonly (readonly AdminPart[])[]): readonly AdminPart[] {
  const parts = new Map<string, AdminPart>()
  for (const part of processes.flat()) {
    const key = `${part.type} ${part.name}`
    if (parts.get(key)?.health !== 'failing') parts.set(key, part)
  }
  return [...parts.values()]
}
