import type { Hono } from 'hono'
import { RequestError } from '../../request-error.js'
import type { Env, ServerContext } from '../server-context.js'

/** `GET /models` and `GET /models/MODEL`: the names that the host gave. By `otherModels`, others may be served, too. */
export function modelRoutes(app: Hono<Env>, { service }: ServerContext): void {
  // Nobody knows when the engine's model was made, and clients want a number.
  const models = service.models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'harmony-responses' }))
  app.get('/models', (context) => context.json({ object: 'list', data: models }))
  app.get('/models/:id{.+}', (context) => {
    const id = context.req.param('id')
    const model = models.find((one) => one.id === id)
    if (model !== undefined) return context.json(model)
    throw new RequestError(`The model '${id.slice(0, 80)}' does not exist`, {
      status: 404,
      param: 'model',
      code: 'model_not_found',
    })
  })
}
