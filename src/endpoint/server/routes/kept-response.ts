import type { Context, Hono } from 'hono'
import { invalidType, invalidValue, outOfRange } from '../../../shared/request-error.js'
import { answerInDialect } from '../answer-events.js'
import { sendJson } from '../send-json.js'
import { type Env, responseBody, type ServerContext } from '../server-context.js'

/** Adds `GET`, `DELETE`, `POST .../cancel` and `GET .../input_items` of one response. */
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
    const { after } = context.req.query()
    const order = orderOf(context.req.query('order'))
    const limit = wholeNumberOf(context, 'limit', 1, 100)
    const query = { ...(limit !== undefined && { limit }), ...(order && { order }), ...(after && { after }) }
    return sendJson(context, await service.inputItems(context.req.param('id'), context.get('owner'), query), server)
  })
}

function orderOf(order: string | undefined): 'asc' | 'desc' | undefined {
  if (order === undefined || order === 'asc' || order === 'desc') return order
  throw invalidValue('order', order, ['asc', 'desc'])
}

function flagOf(context: Context, name: string): boolean {
  const value = context.req.query(name)
  if (value === undefined || value === 'true' || value === 'false') return value === 'true'
  throw invalidValue(name, value, ['true', 'false'])
}

function wholeNumberOf(context: Context, name: string, min: number, max: number): number | undefined {
  const text = context.req.query(name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^-?\d+$/.test(text)) throw invalidType(name, 'an integer', text)
  if (value < min) throw outOfRange(name, 'integer', { min }, value)
  if (value > max) throw outOfRange(name, 'integer', { max }, value)
  return value
}
