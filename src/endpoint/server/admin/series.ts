import type { Metric } from '../observe/metric.js'
import { addTime, percentile, type TimeCounts } from './time-counts.js'
import type { AdminInterval, AdminRequest, AdminSeries } from './types.js'
import { codeOf } from './why.js'

/** The length of an interval, in seconds. */
export const INTERVAL_SECONDS = 10
/** How many intervals are kept: an hour. */
export const MAX_INTERVALS = 360
/** How many codes of errors an interval counts apart. */
const MAX_CODES = 32

/** What happened in an interval. Those of several processes can be added. Plain JSON. */
export interface IntervalCounts {
  /** Its beginning, in Unix seconds. */
  at: number
  /** How many tokens were sampled. */
  tokens: number
  /** How long responses took until their first token. */
  readonly firstTokens: TimeCounts
  /** The most responses that ran at a time. */
  running: number
  /** The most requests that waited at a time. */
  waiting: number
  /** How many requests were answered. */
  requests: number
  /** How many errors there were, by code. */
  readonly errors: Readonly<Record<string, number>>
  /** The input tokens of responses that ended, if the engine said how many were cached. */
  inputTokens: number
  /** How many of them were cached. */
  cachedTokens: number
  /** The most memory in use, in bytes. */
  memoryBytes: number
}

/** The gauges of a server. */
export interface Gauges {
  /** How many tokens were sampled since the start. */
  readonly sampled: number
  readonly running: number
  readonly waiting: number
  readonly memoryBytes: number
}

/** The last hour of a server. */
export interface Series {
  take(metric: Metric): void
  /** Counts a request that was answered, or a response that ended on its own. */
  add(request: Pick<AdminRequest, 'method' | 'status' | 'code'>): void
  /** Counts the tokens since the last call in the interval that was current until now. Called at the end of each. */
  tick(): void
  /** The intervals, the current one last. */
  readonly intervals: readonly IntervalCounts[]
  /** The tokens that were sampled in a second, in the last ten. */
  readonly tokensPerSecond: number
}

/** @param clock - Unix time in seconds */
export function createSeries(clock: () => number, gauges: () => Gauges): Series {
  const intervals: IntervalCounts[] = [emptyInterval(beginOf(clock()))]
  let seen = gauges().sampled
  const last = (): IntervalCounts => intervals.at(-1) as IntervalCounts

  function tick(): void {
    const interval = last()
    const { sampled, running, waiting, memoryBytes } = gauges()
    interval.tokens += sampled - seen
    seen = sampled
    const now = beginOf(clock())
    // After a long silence, only the intervals that are kept are filled.
    const first = Math.max(interval.at + INTERVAL_SECONDS, now - (MAX_INTERVALS - 1) * INTERVAL_SECONDS)
    for (let at = first; at <= now; at += INTERVAL_SECONDS) intervals.push({ ...emptyInterval(at), running, waiting })
    if (intervals.length > MAX_INTERVALS) intervals.splice(0, intervals.length - MAX_INTERVALS)
    raise(last(), { running, waiting, memoryBytes })
  }

  return {
    take(metric) {
      if (beginOf(clock()) > last().at) tick()
      const interval = last()
      if (metric.type === 'load_changed') raise(interval, { ...metric, memoryBytes: 0 })
      else if (metric.type === 'first_token') addTime(interval.firstTokens as Record<string, number>, metric.seconds)
      else if (metric.type === 'response_ended') {
        if (metric.inputTokens === null || metric.cachedTokens === null) return
        interval.inputTokens += metric.inputTokens
        interval.cachedTokens += metric.cachedTokens
      }
    },
    add({ method, status, code }) {
      const interval = last()
      if (method !== null) interval.requests += 1
      const isError = code !== null || (status !== null && status >= 400)
      if (isError) addError(interval, code ?? `http_${status}`)
    },
    tick,
    get intervals() {
      tick()
      return intervals
    },
    get tokensPerSecond() {
      tick()
      const over = clock() - last().at
      const before = intervals.at(-2)?.tokens ?? 0
      return (before * Math.max(1 - over / INTERVAL_SECONDS, 0) + last().tokens) / INTERVAL_SECONDS
    },
  }
}

function beginOf(at: number): number {
  return Math.floor(at / INTERVAL_SECONDS) * INTERVAL_SECONDS
}

function emptyInterval(at: number): IntervalCounts {
  const counts = { tokens: 0, running: 0, waiting: 0, requests: 0, inputTokens: 0, cachedTokens: 0, memoryBytes: 0 }
  return { at, ...counts, firstTokens: {}, errors: {} }
}

function raise(interval: IntervalCounts, given: Pick<IntervalCounts, 'running' | 'waiting' | 'memoryBytes'>): void {
  interval.running = Math.max(interval.running, given.running)
  interval.waiting = Math.max(interval.waiting, given.waiting)
  interval.memoryBytes = Math.max(interval.memoryBytes, given.memoryBytes)
}

function addError({ errors }: IntervalCounts, given: string): void {
  const code = codeOf(given) ?? 'other'
  const isNew = !Object.hasOwn(errors, code) && Object.keys(errors).length >= MAX_CODES
  addTo(errors as Record<string, number>, isNew ? 'other' : code, 1)
}

function addTo(counts: Record<string, number>, key: string, count: number): void {
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] as number) : 0) + count
}

/** Returns the series of one or several processes. */
export function adminSeries(processes: readonly (readonly IntervalCounts[])[]): AdminSeries {
  const sums = new Map<number, IntervalCounts>()
  for (const interval of processes.flat()) {
    const sum = sums.get(interval.at) ?? emptyInterval(interval.at)
    sums.set(interval.at, sum)
    for (const name of COUNTED) sum[name] += interval[name]
    for (const name of ['firstTokens', 'errors'] as const) {
      for (const [key, count] of Object.entries(interval[name])) addTo(sum[name] as Record<string, number>, key, count)
    }
  }
  const data = [...sums.values()].sort((a, b) => a.at - b.at).slice(-MAX_INTERVALS)
  return { object: 'admin.series', interval_seconds: INTERVAL_SECONDS, data: data.map(shownInterval) }
}

const COUNTED = [
  'tokens',
  'running',
  'waiting',
  'requests',
  'inputTokens',
  'cachedTokens',
  'memoryBytes',
] as const satisfies readonly (keyof IntervalCounts)[]

function shownInterval(interval: IntervalCounts): AdminInterval {
  const { at, tokens, firstTokens, running, waiting, requests, errors, inputTokens, cachedTokens } = interval
  return {
    ...{ at, tokens, tokens_per_second: tokens / INTERVAL_SECONDS },
    first_token_p50: percentile(firstTokens, 0.5),
    first_token_p99: percentile(firstTokens, 0.99),
    ...{ running, waiting, requests, errors },
    cached_share: inputTokens === 0 ? null : cachedTokens / inputTokens,
    memory_bytes: interval.memoryBytes,
  }
}
