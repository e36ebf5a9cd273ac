import * as z from 'zod'
import { jsonOf } from '../../../shared/json-of.js'
import type { HttpClient } from './http-client.js'
import { count, listOf, parseEvent } from './parse-event.js'

const modelList = z.object(
  { data: listOf(z.object({ id: z.string('a string'), max_model_len: count }, 'a model'), 'an array') },
  'a list of models',
)

/**
 * The context length of a model as vLLM and SGLang report it, in `GET /v1/models`.
 *
 * @param model - its name. Default: the first one
 * @returns undefined if there is no such model, or it says nothing
 * @throws EngineError if the server does not answer with a list of models
 */
export async function maxModelLen(
  engine: string,
  client: HttpClient,
  model: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { data } = parseEvent(modelList, jsonOf(await client.read('/v1/models', signal)), engine)
  return data.find(({ id }) => model === undefined || id === model)?.max_model_len ?? undefined
}
