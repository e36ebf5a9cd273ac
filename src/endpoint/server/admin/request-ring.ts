import type { Metric, RequestEnded, ResponseEnded } from '../observe/metric.js'
import type { AdminCancelled, AdminNow, AdminRequest, AdminRequests } from './types.js'
import { codeOf, whyOf } from './why.js'

/** How many requests are kept. */
export const MAX_REQUESTS_KEPT = 1000
/** The largest number of them in an answer, and the default. */
export const MAX_REQUESTS_SHOWN = 1000
export const REQUESTS_SHOWN = 100

/** The last requests of a server. */
export interface RequestRing {
  /** Returns what was added. */
  take(metric: Metric): AdminRequest | undefined
  /** Those that are kept, oldest first. */
  readonly requests: readonly AdminRequest[]
  /** The status with which a response has ended; undefined if that is not kept. */
  endOf(responseId: string): AdminCancelled['status'] | undefined
}

/** Whether an answer is of no interest: health checks and the operator's own pages come every few seconds. */
export type IsQuiet = (route: string) => boolean

/** @param clock - Unix time in seconds */
export function createRequestRing(clock: () => number, isQuiet: IsQuiet): RequestRing {
  const requests: AdminRequest[] = []
  /** The requests that are not over yet, by their ids, with the responses that they began. */
  const open = new Map<string, { responseId?: string; ended?: ResponseEnded }>()
  const ends = new Map<string, AdminCancelled['status']>()
  // Numbers of several processes seldom coincide, and grow with the time.
  const own = Math.floor(Math.random() * PROCESSES)
  let last = 0

  function add(given: Omit<AdminRequest, 'number' | 'at' | 'why'>): AdminRequest {
    const at = clock()
    last = Math.max(last + 1, Math.floor(at * 1000) * PROCESSES + own)
    const request = { number: last, at, ...given, why: whyOf(given.code, given.status) }
    requests.push(request)
    if (requests.length > MAX_REQUESTS_KEPT) requests.shift()
    return request
  }

  function endRequest(metric: RequestEnded): AdminRequest | undefined {
    const { requestId, route, status, owner, method, seconds } = metric
    const { responseId, ended } = open.get(requestId) ?? {}
    open.delete(requestId)
    if (status < 400 && isQuiet(route)) return undefined
    return add({
      ...{ request_id: requestId, response_id: responseId ?? null, owner, method, route, status },
      response_status: ended?.status ?? null,
      code: codeOf(ended?.code ?? metric.code),
      seconds,
    })
  }

  function endResponse(metric: ResponseEnded): AdminRequest | undefined {
    const { requestId, responseId, owner, status, seconds } = metric
    ends.set(responseId, status)
    if (ends.size > MAX_REQUESTS_KEPT) ends.delete(ends.keys().next().value as string)
    const request = requestId === undefined ? undefined : open.get(requestId)
    if (request !== undefined) {
      request.ended = metric
      return undefined
    }
    const code = codeOf(metric.code)
    const ids = { request_id: requestId ?? null, response_id: responseId, owner }
    return add({ ...ids, method: null, route: null, status: null, response_status: status, code, seconds })
  }

  return {
    take(metric) {
      if (metric.type === 'request_started') open.set(metric.requestId, {})
      else if (metric.type === 'response_started') {
        // One that waited for its turn may start after its request is over.
        const request = open.get(metric.requestId ?? '')
        if (request !== undefined) request.responseId = metric.responseId
      } else if (metric.type === 'request_ended') return endRequest(metric)
      else if (metric.type === 'response_ended') return endResponse(metric)
      return undefined
    },
    requests,
    endOf: (responseId) => ends.get(responseId),
  }
}

const PROCESSES = 1024

/** What one process says of its requests. */
interface RequestSnapshot {
  readonly now: Pick<AdminNow, 'at'>
  readonly requests: readonly AdminRequest[]
}

/**
 * Returns requests of one or several processes, after one that the reader has. Those that ended since the first process
 * answered have to wait: it may have others before them, which the reader would then miss.
 */
export function adminRequests(
  processes: readonly RequestSnapshot[],
  { after = 0, limit = REQUESTS_SHOWN }: { readonly after?: number; readonly limit?: number },
): AdminRequests {
  const first = processes.reduce((least, { now }) => Math.min(least, now.at), Number.POSITIVE_INFINITY)
  const all = processes
    .flatMap(({ requests }) => requests)
    .filter(({ at, number }) => number > after && at <= first)
    .sort((a, b) => a.number - b.number)
  const data = all.slice(0, limit)
  return { object: 'list', data, last: data.at(-1)?.number ?? after, has_more: all.length > data.length }
}
