import type { Context } from 'hono'
import { HarmonyResponsesError } from '../../shared/errors.js'
import type { NodeBindings } from './node-bindings.js'

/**
 * Returns a body that was read before, parsed or as text; undefined if it is unread. Parsers such as `express.json()`
 * leave it on Node's request, and Hono keeps the body that a middleware reads by `context.req`.
 *
 * @throws HarmonyResponsesError `bad_option` if it was read and not kept; the error of the middleware's own reading
 */
export async function keptBody({ req }: Context, { incoming }: NodeBindings): Promise<object | string | undefined> {
  if (incoming?.readableDidRead) {
    const { body } = incoming as { readonly body?: unknown }
    if (body instanceof Uint8Array) return new TextDecoder().decode(body)
    if (typeof body === 'string' || (typeof body === 'object' && body !== null)) return body
  }
  if (Object.keys(req.bodyCache).length > 0) return req.text()
  if (req.raw.bodyUsed) throw new HarmonyResponsesError('bad_option', WAS_READ)
  return undefined
}

const WAS_READ = 'request: expected an unread body, got one that was read: read `request.clone()` instead'
