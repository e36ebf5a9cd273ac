import * as z from 'zod'
import { EngineError } from '../../engine/engine-error.js'
import { VOCABULARY_SIZE } from '../../harmony/vocabulary.js'
import { TransientError } from '../http/failure-of.js'
import type { HttpClient } from '../http/http-client.js'
import { jsonOf } from '../http/parse-event.js'

const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      aliases: z.array(z.string()).nullish().catch(undefined),
      meta: z
        .object({ n_vocab: z.number().nullish().catch(undefined) })
        .nullish()
        .catch(undefined),
    }),
  ),
})

/**
 * Checks the model's vocabulary size with `/v1/models`. A model other than gpt-oss would interpret the prompt's ids as
 * its own tokens and generate nonsense. A server that does not report the size passes.
 *
 * @throws EngineError `server_error` that names the model
 */
export async function checkModel(client: HttpClient, model: string | undefined, signal: AbortSignal): Promise<void> {
  const { data } = modelList.safeParse(jsonOf(await answer(client, signal)))
  const isIt = (id: string): boolean => model === undefined || id === model
  const one = data?.data.find(({ id, aliases }) => isIt(id) || aliases?.some(isIt))
  const size = one?.meta?.n_vocab
  if (one === undefined || typeof size !== 'number' || size === VOCABULARY_SIZE) return
  const got = `${JSON.stringify(one.id)} with ${size}`
  const message = `expected a gpt-oss model with a vocabulary of ${VOCABULARY_SIZE} tokens, got ${got}`
  throw new EngineError('server_error', message)
}

/** Empty if the server refuses: `/completion` will report the problem better. */
async function answer(client: HttpClient, signal: AbortSignal): Promise<string> {
  try {
    return await client.read('/v1/models', signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TransientError || !(error instanceof EngineError)) throw error
    return ''
  }
}
