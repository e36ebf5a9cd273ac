import type { Hono } from 'hono'
import type { Env, ServerContext } from '../server-context.js'

/** `GET /healthz`: the process answers. `GET /readyz`: its engine does, too. Both need no key and say nothing else. */
export function healthRoutes(app: Hono<Env>, { service }: ServerContext): void {
  app.get('/healthz', (context) => context.text('ok'))
  app.get('/readyz', async (context) => {
    try {
      await service.health()
      return context.text('ok')
    } catch (error) {
      service.report(error)
      return context.text('not ready', 503)
    }
  })
}
