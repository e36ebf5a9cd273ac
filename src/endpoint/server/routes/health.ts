import type { Hono } from 'hono'
import { RequestError } from '../../../shared/request-error.js'
import { isUnavailable } from '../../respond/opening/unavailable.js'
import type { Env, ServerContext } from '../server-context.js'

/**
 * Adds `GET /healthz` (the process answers), `GET /readyz` (so does its engine) and `GET /health` (the same, where
 * routers and benchmarks look for it, without a reason). None needs a key, so all return only reasons of ours: an
 * engine's error may contain its address.
 *
 * @param isOurs - whether a path is not one of the host's own pages
 */
export function healthRoutes(app: Hono<Env>, { service }: ServerContext, isOurs: (path: string) => boolean): void {
  if (isOurs('/healthz')) app.get('/healthz', (context) => context.text('ok'))
  for (const path of ['/readyz', '/health'].filter(isOurs)) {
    app.get(path, async (context) => {
      try {
        await service.health()
        return context.text('ok')
      } catch (error) {
        service.report(error)
        const reason = path === '/readyz' ? reasonOf(error) : undefined
        return context.text(reason === undefined ? 'not ready' : `not ready: ${reason}`, 503)
      }
    })
  }
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof RequestError) return error.message
  return isUnavailable(error) ? error.reason : undefined
}
