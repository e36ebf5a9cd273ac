import type { Hono } from 'hono'
import { answerInDialect } from '../answer-events.js'
import { flagOf, pageQueryOf, wholeNumberOf } from '../query.js'
import { sendJson } from '../send-json.js'
import { type Env, responseBody, type ServerContext } from '../server-context.js'
import { MAX_TRACE_TOKENS } from '../service/trace/window.js'

/** Adds `GET`, `DELETE`, `POST .../cancel`, `GET .../input_items` and `GET .../trace` of one response. */
export function keptResponseRoutes(app: Hono<Env>, server: ServerContext): void {
  const { service } = server
  app.get('/responses/:id', async (context) => {
    const id = context.req.param('id')
    const owner = context.get('owner')
    if (!flagOf(context, 'stream'))
      return sendJson(context, responseBody(await service.retrieve(id, owner), server), server)
    const after = wholeNumberOf(context, 'starting_after', 0, Number.MAX_SAFE_INTEGER)
    return answerInDialect(context, await service.stream(id, owner, after), server)
  })

  app.delete('/responses/:id', async (context) => {
    const id = context.req.param('id')
    await service.delete(id, context.get('owner'))
    return context.json({ id, object: 'response', deleted: true })
  })

  app.post('/responses/:id/cancel', async (context) => {
    const response = await service.cancel(context.req.param('id'), context.get('owner'))
    return sendJson(context, responseBody(response, server), server)
  })

  app.get('/responses/:id/input_items', async (context) => {
    const query = pageQueryOf(context)
    return sendJson(context, await service.inputItems(context.req.param('id'), context.get('owner'), query), server)
  })

  app.get('/responses/:id/trace', async (context) => {
    const after = wholeNumberOf(context, 'after', 0, Number.MAX_SAFE_INTEGER)
    const limit = wholeNumberOf(context, 'limit', 1, MAX_TRACE_TOKENS)
    const query = { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) }
    return sendJson(context, await service.trace(context.req.param('id'), context.get('owner'), query), server)
  })
}
