import type { Context, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { ClientSession } from './metric.js'
import type { RequestObservation } from './observe-request.js'
import type { Observer } from './observer.js'
import type { TraceContext } from './tracing.js'

/** The part of the server's environment that is used here. */
interface Env {
  readonly Variables: { requestId: string; observed: RequestObservation | undefined }
}

/** Observes every request. It has to be the first middleware, so that refusals are observed too. */
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

/** Marks the answer as continuing; returns a function that ends it. */
export function observeStream(context: Context): (isAborted: boolean) => void {
  const observed = context.get('observed') as RequestObservation | undefined
  if (observed === undefined) return () => {}
  observed.isStreaming = true
  const route = routePath(context, -1)
  return (isAborted) => observed.ended({ route, status: 200, isAborted })
}

/** Longer values are no names. */
const MAX_CHARACTERS = 128

/**
 * Returns the session of a request from Claude Code's headers: to find requests of one session in a log, and for a
 * balancer that keeps them together. It identifies no user.
 */
function sessionNames(header: (name: string) => string | undefined): ClientSession | null {
  const nameIn = (name: string): string | null => {
    const printable = header(`x-claude-code-${name}`)
      ?.slice(0, MAX_CHARACTERS)
      .replace(/[^\x21-\x7e]/g, '')
    return printable || null
  }
  const id = nameIn('session-id')
  return id === null ? null : { id, agent: nameIn('agent-id'), parentAgent: nameIn('parent-agent-id') }
}
