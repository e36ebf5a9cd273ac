import type { Hono } from 'hono'
import { RequestError } from '../../request-error.js'
import { isUnavailable } from '../../respond/opening/unavailable.js'
import type { Env, ServerContext } from '../server-context.js'

/**
 * Adds `GET /healthz` (the process answers) and `GET /readyz` (so does its engine). Neither needs a key, so both return
 * only reasons of ours: an engine's error may contain its address.
 */
export function healthRoutes(app: Hono<Env>, { service }: ServerContext): void {
  app.get('/healthz', (context) => context.text('ok'))
  app.get('/readyz', async (context) => {
    try {
      await service.health()
      return context.text('ok')
    } catch (error) {
      service.report(error)
      const reason = error instanceof RequestError ? error.message : isUnavailable(error) ? error.reason : undefined
      return context.text(reason === undefined ? 'not ready' : `not ready: ${reason}`, 503)
    }
  })
}
