import type { Hono } from 'hono'
import { RequestError } from '../../request-error.js'
import type { Env, ServerContext } from '../server-context.js'

/** `GET /models`, the names that the host gave, and `GET /models/MODEL`, any name that a request may ask for. */
export function modelRoutes(app: Hono<Env>, { service }: ServerContext): void {
  // Nobody knows when the engine's model was made, and clients want a number.
  const described = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'harmony-responses' }) as const
  app.get('/models', (context) => context.json({ object: 'list', data: service.models.map(described) }))
  app.get('/models/:id{.+}', (context) => {
    const id = context.req.param('id')
    if (service.serves(id)) return context.json(described(id))
    throw new RequestError(`The model '${id.slice(0, 80)}' does not exist`, {
      status: 404,
      param: 'model',
      code: 'model_not_found',
    })
  })
}
