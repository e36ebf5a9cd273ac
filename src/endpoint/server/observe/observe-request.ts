import type { ClientSession } from './metric.js'
import type { Span, TraceContext } from './tracing.js'
import type { Watch } from './watch.js'

export interface RequestAbout {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly trace: TraceContext | undefined
  readonly session: ClientSession | null
}

/** An HTTP request in progress. */
export interface RequestObservation {
  readonly requestId: string
  readonly span: Span | undefined
  /** Whether its answer continues after its handler has returned. */
  isStreaming: boolean
  /** Known once authorized. */
  owner: string | null
  /** The error in its answer, if any. */
  error: { readonly code: string | null; readonly param: string | null } | null
  /** Keeps its span open, because its response continues, until the returned function is called. */
  hold(): () => void
  /** @param route - the pattern of the route that answered it */
  ended(answer: { readonly route: string; readonly status: number; readonly isAborted: boolean }): void
}

const METHODS: readonly string[] = ['GET', 'POST', 'DELETE', 'OPTIONS']

export function observeRequest(
  { requestId, path, trace, session, ...about }: RequestAbout,
  watch: Watch,
): RequestObservation {
  const { tracing, now, emit } = watch
  const start = now()
  const method = METHODS.includes(about.method) ? about.method : 'other'
  const span = tracing?.start(method, {
    kind: 'server',
    ...(trace && { parent: trace }),
    attributes: { 'http.request.method': method === 'other' ? '_OTHER' : method },
  })
  let holds = 0
  let isOver = false
  const release = (): void => {
    holds -= 1
    if (holds < 0) span?.end()
  }
  emit({ type: 'request_started', requestId, method })
  const observation: RequestObservation = {
    requestId,
    span,
    isStreaming: false,
    owner: null,
    error: null,
    hold() {
      holds += 1
      return release
    },
    ended({ route, status, isAborted }) {
      if (isOver) return
      isOver = true
      const seconds = (now() - start) / 1000
      const { owner, error } = observation
      const { code, param } = error ?? { code: null, param: null }
      emit({
        type: 'request_ended',
        requestId,
        method,
        route,
        path,
        status,
        seconds,
        isAborted,
        owner,
        code,
        param,
        session,
      })
      span?.rename(`${method} ${route}`)
      span?.set({ 'http.route': route, 'http.response.status_code': status })
      if (status >= 500) span?.fail(String(status))
      release()
    },
  }
  return observation
}
