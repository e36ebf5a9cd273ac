import type { Context, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { RequestObservation } from './observe-request.js'
import type { Observer } from './observer.js'
import { sessionNames } from './session-names.js'
import type { TraceContext } from './tracing.js'

/** As much of the server's environment as is used here. */
interface Env {
  readonly Variables: { requestId: string; observed: RequestObservation | undefined }
}

/** Watches every request. It has to be the first that sees it, so that refusals are seen, too. */
export function observeRoutes(
  observer: Observer | undefined,
  traceOf: (traceparent: string | undefined, tracestate: string | undefined) => TraceContext | undefined,
): MiddlewareHandler<Env> {
  return async (context, next) => {
    const { req } = context
    const requestId = `req_${crypto.randomUUID().replaceAll('-', '')}`
    context.set('requestId', requestId)
    const { method, path } = req
    const trace = traceOf(req.header('traceparent'), req.header('tracestate'))
    const session = sessionNames((name) => req.header(name))
    const observed = observer?.request({ requestId, method, path, trace, session })
    context.set('observed', observed)
    await next()
    if (observed === undefined || observed.isStreaming) return
    const { status } = context.res
    // An upgrade is answered outside of fetch, which has no status 101.
    const isUpgraded = status === 200 && req.header('upgrade')?.toLowerCase() === 'websocket'
    const isAborted = !isUpgraded && req.raw.signal.aborted
    observed.ended({ route: routePath(context, -1), status: isUpgraded ? 101 : status, isAborted })
  }
}

/** Says that the answer goes on; returns what says that it is over. */
export function observeStream(context: Context): (isAborted: boolean) => void {
  const observed = context.get('observed') as RequestObservation | undefined
  if (observed === undefined) return () => {}
  observed.isStreaming = true
  const route = routePath(context, -1)
  return (isAborted) => observed.ended({ route, status: 200, isAborted })
}
