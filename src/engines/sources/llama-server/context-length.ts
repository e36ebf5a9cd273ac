import * as z from 'zod'
import { jsonOf } from '../../../shared/json-of.js'
import type { HttpClient } from '../http/http-client.js'
import { count, parseEvent } from '../http/parse-event.js'

/** `n_ctx` is that of one slot, so of one call. */
const props = z.object(
  { default_generation_settings: z.object({ n_ctx: count }, 'an object').nullish() },
  'the properties of a server',
)

/**
 * The context length of a call, as `GET /props` reports it.
 *
 * @param model - of a router
 * @returns undefined if the server does not say
 * @throws EngineError if the server does not answer with its properties
 */
export async function contextLength(
  client: HttpClient,
  model: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const path = model === undefined ? '/props' : `/props?model=${encodeURIComponent(model)}`
  const { default_generation_settings: settings } = parseEvent(
    props,
    jsonOf(await client.read(path, signal)),
    'llama-server',
  )
  // A router that has not loaded the model says 0.
  return settings?.n_ctx || undefined
}
