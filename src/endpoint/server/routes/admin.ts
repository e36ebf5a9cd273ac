import type { Context, Hono, MiddlewareHandler } from 'hono'
import { RequestError } from '../../../shared/request-error.js'
import { type AdminProcesses, adminNow, adminParts } from '../admin/admin.js'
import { adminRequests, MAX_REQUESTS_SHOWN } from '../admin/request-ring.js'
import { adminSeries } from '../admin/series.js'
import type { AdminParts } from '../admin/types.js'
import { wholeNumberOf } from '../query.js'
import { sendJson } from '../send-json.js'
import type { Env, ServerContext } from '../server-context.js'

interface AdminContext {
  readonly server: ServerContext
  /** Lets the operator alone pass. */
  readonly guard: MiddlewareHandler<Env>
  /** Undefined without an operator: then the guard lets nobody pass. */
  readonly processes: AdminProcesses | undefined
  /** Whether a path is not one of the host's own pages. */
  readonly isOurs: (path: string) => boolean
}

const NO_PROCESSES: AdminProcesses = {
  snapshots: async () => [],
  parts: async () => [],
  cancel: async () => undefined,
}

type Answer = (context: Context<Env>) => Promise<object>

/** Adds `GET /admin/now`, `/admin/requests`, `/admin/series`, `/admin/parts` and `POST /admin/responses/ID/cancel`. */
export function adminRoutes(app: Hono<Env>, { server, guard, processes = NO_PROCESSES, isOurs }: AdminContext): void {
  const answers: Readonly<Record<string, Answer>> = {
    '/admin/now': async () => adminNow((await processes.snapshots()).map(({ now }) => now)),
    '/admin/requests': async (context) => {
      const after = wholeNumberOf(context, 'after', 0, Number.MAX_SAFE_INTEGER)
      const limit = wholeNumberOf(context, 'limit', 1, MAX_REQUESTS_SHOWN)
      const query = { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) }
      return adminRequests(await processes.snapshots(), query)
    },
    '/admin/series': async () => adminSeries((await processes.snapshots()).map(({ intervals }) => intervals)),
    '/admin/parts': async (): Promise<AdminParts> => {
      return { object: 'admin.parts', data: adminParts(await processes.parts()) }
    },
  }
  // Each path by itself: a host may have others below `/admin`.
  for (const [path, answer] of Object.entries(answers)) {
    if (isOurs(path)) app.get(path, guard, async (context) => sendJson(context, await answer(context), server))
  }
  app.post('/admin/responses/:id/cancel', guard, async (context) => {
    const id = context.req.param('id')
    const cancelled = await processes.cancel(id)
    if (cancelled === undefined) throw notRunning(id)
    return sendJson(context, cancelled, server)
  })
}

function notRunning(id: string): RequestError {
  const message = `No response with id '${id.slice(0, 80)}' runs here, or has ended lately.`
  return new RequestError(message, { status: 404 })
}
