import type { MemoryRefused, Metric, RequestEnded, ResponseEnded, ResponseTakenOver } from '../../server/index.js'

/**
 * A request that is over, with the response that it began; or a response without a request of its own: of a socket, or of a
 * process that has died.
 */
export type LogEntry =
  | { readonly request: RequestEnded; readonly response: ResponseEnded | undefined }
  | { readonly request: undefined; readonly response: ResponseEnded; readonly isTakenOver: boolean }

/** Writes a line for each entry: no content, and nothing in it that a terminal would act on. */
export interface RequestLog {
  take(metric: Metric): void
}

/** A request that has a response, and which of the two is over. */
interface Pending {
  response?: ResponseEnded
  request?: RequestEnded
}

/** Monitors ask for these again and again: they are logged only when they fail. */
const QUIET: readonly string[] = ['/healthz', '/readyz', '/metrics']

/**
 * Brings together what is known of each request.
 *
 * @param write - receives it when request and response are over
 * @param refused - receives each refusal of memory, which explains the 429s and 413s around it
 * @param takenOver - receives each response of a process that has died
 */
export function createLogEntries(
  write: (entry: LogEntry) => void,
  refused: (refusal: MemoryRefused) => void,
  takenOver: (taken: ResponseTakenOver) => void,
): RequestLog {
  /** Requests whose responses are not over; by the ids of requests. */
  const pending = new Map<string, Pending>()
  /** The responses that were taken over and are not over. */
  const resumed = new Set<string>()

  function finish(requestId: string, { request, response }: Pending): void {
    if (request === undefined) return
    pending.delete(requestId)
    if (request.status < 400 && QUIET.includes(request.route)) return
    write({ request, response })
  }

  return {
    take(metric) {
      switch (metric.type) {
        case 'response_started':
          if (metric.requestId !== undefined) pending.set(metric.requestId, {})
          return
        case 'response_ended': {
          if (metric.requestId === undefined) {
            return write({ request: undefined, response: metric, isTakenOver: resumed.delete(metric.responseId) })
          }
          const request = pending.get(metric.requestId)?.request
          pending.set(metric.requestId, { response: metric })
          if (request !== undefined) finish(metric.requestId, { request, response: metric })
          return
        }
        case 'request_ended': {
          const known = pending.get(metric.requestId)
          if (known === undefined || known.response !== undefined) {
            return finish(metric.requestId, { ...known, request: metric })
          }
          known.request = metric
          return
        }
        case 'memory_refused':
          return refused(metric)
        case 'response_taken_over':
          if (metric.goesOn) resumed.add(metric.responseId)
          takenOver(metric)
      }
    },
  }
}
