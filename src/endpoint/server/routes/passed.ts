import type { Context, Hono, MiddlewareHandler } from 'hono'
import { encodeSseData, type SseEvent } from '../../../core/sse/index.js'
import type { PassedPath } from '../../../engines/contract/engine-server.js'
import { answerEvents } from '../answer-events.js'
import { errorAnswer } from '../error-answer.js'
import { callerOf, type Env, type ServerContext } from '../server-context.js'
import type { PassedPiece } from '../service/pass-on.js'

/** The prefix of the engine's paths in place of which ours have `basePath`. */
const PREFIX = '/v1/'

/**
 * Adds `POST` of each path of `passOn`, which the engine's server answers: in the API, or at the root where the engine has
 * it. Called before the API is mounted, so that a path at the root is guarded once, whatever `basePath`.
 */
export function passedRoutes(
  { api, root, guard }: { readonly api: Hono<Env>; readonly root: Hono<Env>; readonly guard: MiddlewareHandler<Env> },
  server: ServerContext,
): void {
  for (const path of new Set(server.options.passOn?.paths)) {
    const answer = (context: Context<Env>): Promise<Response> => answerPassed(context, path, server)
    if (path.startsWith(PREFIX)) api.post(path.slice(PREFIX.length - 1), answer)
    else root.on(['POST', 'OPTIONS'], path, guard, answer)
  }
}

async function answerPassed(context: Context<Env>, path: PassedPath, server: ServerContext): Promise<Response> {
  const { service, readJson } = server
  const body = await readJson(context)
  const failed = (error: unknown): string => encodeSseData(errorAnswer(error, service.report).body)
  const { isStream, pieces } = await service.passOn({ path, body, failed }, callerOf(context))
  return answerEvents(context, pieces, server, {
    encode: (piece: SseEvent) => (piece as PassedPiece).text,
    done: false,
    // The engine's frames arrive in pieces, between which a comment would end up inside of one.
    keepAliveMs: 0,
    ...(!isStream && { headers: { 'content-type': 'application/json' } }),
  })
}
