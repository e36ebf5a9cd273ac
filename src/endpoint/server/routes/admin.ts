import type { Hono, MiddlewareHandler } from 'hono'
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
  /** Undefined without an operator, whom the guard then refuses. */
  readonly processes: AdminProcesses | undefined
}

/** Adds `GET /admin/now`, `/admin/requests`, `/admin/series`, `/admin/parts` and `POST /admin/responses/ID/cancel`. */
export function adminRoutes(app: Hono<Env>, { server, guard, processes }: AdminContext): void {
  const admin = app.basePath('/admin')
  admin.use(guard)
  if (processes === undefined) return

  admin.get('/now', async (context) => {
    const snapshots = await processes.snapshots()
    return sendJson(context, adminNow(snapshots.map(({ now }) => now)), server)
  })

  admin.get('/requests', async (context) => {
    const after = wholeNumberOf(context, 'after', 0, Number.MAX_SAFE_INTEGER)
    const limit = wholeNumberOf(context, 'limit', 1, MAX_REQUESTS_SHOWN)
    const query = { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) }
    const snapshots = await processes.snapshots()
    const kept = snapshots.map(({ requests }) => requests)
    return sendJson(context, adminRequests(kept, query), server)
  })

  admin.get('/series', async (context) => {
    const snapshots = await processes.snapshots()
    return sendJson(context, adminSeries(snapshots.map(({ intervals }) => intervals)), server)
  })

  admin.get('/parts', async (context) => {
    const parts: AdminParts = { object: 'admin.parts', data: adminParts(await processes.parts()) }
    return sendJson(context, parts, server)
  })

  admin.post('/responses/:id/cancel', async (context) => {
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
