import type { Hono } from 'hono'
import { sendJson } from '../send-json.js'
import { callerOf, type Env, type ServerContext } from '../server-context.js'

/**
 * Adds the requests about a conversation without a response: `POST /responses/compact` and `POST
 * /responses/input_tokens`.
 */
export function conversationRoutes(app: Hono<Env>, { service, readJson }: ServerContext): void {
  app.post('/responses/compact', async (context) => {
    return sendJson(context, await service.compact(await readJson(context), callerOf(context)), { service })
  })
  app.post('/responses/input_tokens', async (context) => {
    return context.json(await service.inputTokens(await readJson(context), callerOf(context)))
  })
}
