import type {
  EngineRestarted,
  MemoryRefused,
  Metric,
  RequestEnded,
  ResponseEnded,
  ResponseTakenOver,
} from '../../endpoint/server/index.js'
import type { BannerOptions } from './banner.js'
import type { KeyFile } from './keyring.js'

/**
 * A finished request with the response that it began; or a response without a request of its own: of a socket, or of a
 * dead process.
 */
export type LogEntry =
  | { readonly request: RequestEnded; readonly response: ResponseEnded | undefined }
  | { readonly request: undefined; readonly response: ResponseEnded; readonly isTakenOver: boolean }

/** Writes a line for each entry, without content and without characters that a terminal acts on. */
export interface RequestLog {
  take(metric: Metric): void
  /** Writes where the server listens, in the place of the banner, which is for people. */
  listening?(about: BannerOptions): void
  /** Writes which files of keys were read again. */
  keysRead(files: readonly KeyFile[]): void
  /** Writes why they were not: all keys are as before. */
  keysRefused(reason: string): void
  /** Writes that a worker listens: its place among the workers, and its process. */
  workerStarted(number: number, pid: number): void
  /** Writes that a worker has ended, by an exit code or a signal, or did not start, and when it starts again. */
  workerEnded(number: number, cause: string, restartMs: number): void
}

/** A request with a response. One of the two has finished. */
interface Pending {
  response?: ResponseEnded
  request?: RequestEnded
}

/** Monitors poll these paths, so they are logged only when they fail. */
const QUIET: readonly string[] = [
  ...['/healthz', '/readyz', '/health', '/metrics'],
  ...['/admin/now', '/admin/requests', '/admin/series', '/admin/parts'],
]

/**
 * Joins the events of each request and its response.
 *
 * @param write - receives the entry when request and response have finished
 * @param refused - receives each refusal of memory, which explains the 429s and 413s around it
 * @param takenOver - receives each response of a dead process
 * @param restarted - receives each restart of an engine
 */
export function createLogEntries(
  write: (entry: LogEntry) => void,
  refused: (refusal: MemoryRefused) => void,
  takenOver: (taken: ResponseTakenOver) => void,
  restarted: (restart: EngineRestarted) => void,
): Pick<RequestLog, 'take'> {
  /** Requests with unfinished responses, by the ids of requests. */
  const pending = new Map<string, Pending>()
  /** The responses that were taken over and have not finished. */
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
        case 'engine_restarted':
          return restarted(metric)
        case 'response_taken_over':
          if (metric.continues) resumed.add(metric.responseId)
          takenOver(metric)
      }
    },
  }
}
