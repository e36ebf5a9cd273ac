import type { Hono } from 'hono'
import { answerInDialect } from '../answer-events.js'
import { answerResponse } from '../answer-response.js'
import { sendJson } from '../send-json.js'
import { callerOf, type Env, responseBody, type ServerContext } from '../server-context.js'

/** Adds `POST /responses`: streamed, whole, or in the background. */
export function createResponseRoute(app: Hono<Env>, server: ServerContext): void {
  app.post('/responses', async (context) => {
    const body = await server.readJson(context)
    const live = await server.service.create(body, callerOf(context))
    if (live.request.background && !live.request.stream) {
      await live.events.return(undefined)
      return sendJson(context, responseBody(live.created, server), server)
    }
    return answerResponse(context, live, server, {
      events: (events) => answerInDialect(context, events, server),
      whole: (response) => responseBody(response, server),
    })
  })
}
