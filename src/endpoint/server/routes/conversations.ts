import type { Context, Hono } from 'hono'
import type { Includable } from '../../../core/responses/request-parameters.js'
import { invalidValue } from '../../../shared/request-error.js'
import { INCLUDABLE } from '../../request/includable.js'
import { pageQueryOf } from '../query.js'
import { sendJson } from '../send-json.js'
import { callerOf, type Env, type ServerContext } from '../server-context.js'

/** Adds the Conversations API. */
export function conversationsRoutes(app: Hono<Env>, server: ServerContext): void {
  const { service, readJson } = server
  const { conversations } = service
  app.post('/conversations', async (context) => {
    // A client without parameters sends no body.
    const body = context.req.raw.body === null ? {} : await readJson(context)
    return context.json(await conversations.create(body, callerOf(context)))
  })
  app.get('/conversations/:id', async (context) => {
    return context.json(await conversations.retrieve(context.req.param('id'), context.get('owner')))
  })
  app.post('/conversations/:id', async (context) => {
    const body = await readJson(context)
    return context.json(await conversations.update(context.req.param('id'), body, callerOf(context)))
  })
  app.delete('/conversations/:id', async (context) => {
    const id = context.req.param('id')
    await conversations.delete(id, context.get('owner'))
    return context.json({ id, object: 'conversation.deleted', deleted: true })
  })

  app.get('/conversations/:id/items', async (context) => {
    const query = { ...pageQueryOf(context), include: includeOf(context) }
    return sendJson(
      context,
      await conversations.listItems(context.req.param('id'), context.get('owner'), query),
      server,
    )
  })
  app.post('/conversations/:id/items', async (context) => {
    const include = includeOf(context)
    const body = await readJson(context)
    const created = await conversations.createItems(context.req.param('id'), body, callerOf(context), { include })
    return sendJson(context, created, server)
  })
  app.get('/conversations/:id/items/:item', async (context) => {
    const { id, item } = context.req.param()
    const query = { include: includeOf(context) }
    return sendJson(context, await conversations.retrieveItem(id, item, context.get('owner'), query), server)
  })
  app.delete('/conversations/:id/items/:item', async (context) => {
    const { id, item } = context.req.param()
    return context.json(await conversations.deleteItem(id, item, callerOf(context)))
  })
}

/** Reads which parts of items are requested, as clients repeat a parameter. @throws RequestError */
function includeOf({ req }: Context): readonly Includable[] {
  const given = [...(req.queries('include') ?? []), ...(req.queries('include[]') ?? [])]
  for (const value of given) {
    if (!(INCLUDABLE as readonly string[]).includes(value)) throw invalidValue('include', value, INCLUDABLE)
  }
  return given as readonly Includable[]
}
