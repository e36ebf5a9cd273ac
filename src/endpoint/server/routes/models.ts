import type { Hono } from 'hono'
import { RequestError } from '../../../shared/request-error.js'
import { modelAlias, modelOfAlias } from '../model-aliases.js'
import { type Env, type ServerContext, speaksMessages } from '../server-context.js'

/** Adds `GET /models`, the names that the host listed, and `GET /models/MODEL`, those and each name that a POST serves. */
export function modelRoutes(app: Hono<Env>, { service }: ServerContext): void {
  const models = service.models.map(model)
  const infos = [...new Set(service.models.flatMap((id) => [modelAlias(id), id]))].map(modelInfo)
  app.get('/models', (context) => {
    if (!speaksMessages(context)) return context.json({ object: 'list', data: models })
    const [first, last] = [infos[0]?.id ?? null, infos.at(-1)?.id ?? null]
    return context.json({ data: infos, has_more: false, first_id: first, last_id: last })
  })
  app.get('/models/:id{.+}', (context) => {
    const id = context.req.param('id')
    const known = modelOfAlias(id, service.models) ?? id
    if (service.models.includes(known) || service.serves(known)) {
      return context.json(speaksMessages(context) ? modelInfo(id) : model(id))
    }
    throw new RequestError(`The model '${id.slice(0, 80)}' does not exist`, {
      status: 404,
      param: 'model',
      code: 'model_not_found',
    })
  })
}

/** Returns a model in OpenAI's form. */
function model(id: string): { id: string; object: 'model'; created: number; owned_by: string } {
  // The creation time of the engine's model is unknown, and clients require a number.
  return { id, object: 'model', created: 0, owned_by: 'harmony-responses' }
}

/** Returns a model in the form of the Messages API. */
function modelInfo(id: string): { type: 'model'; id: string; display_name: string; created_at: string } {
  return { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }
}
