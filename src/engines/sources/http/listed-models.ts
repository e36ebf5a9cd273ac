import * as z from 'zod'
import { jsonOf } from '../../../shared/json-of.js'
import { EngineError } from '../../contract/engine-error.js'
import { TransientError } from './failure-of.js'
import type { HttpClient } from './http-client.js'
import { listOf } from './parse-event.js'

/** Statuses of a path that a server lacks: it was started without, a proxy hides it, or the path is another one. */
const WITHOUT_PATH: readonly (number | undefined)[] = [400, 404, 405, 422, 500, 501]

const modelList = z.object({
  data: listOf(
    z.object({ id: z.string(), owned_by: z.string().nullish().catch(undefined), aliases: z.unknown().optional() }),
    'an array',
  ),
})

export interface ListedModel {
  readonly id: string
  readonly owned_by?: string | null | undefined
  readonly aliases?: unknown
}

/** The models of a server, in its order. Undefined if it has no list. @throws EngineError */
export async function listedModels(
  client: HttpClient,
  signal: AbortSignal,
): Promise<readonly ListedModel[] | undefined> {
  try {
    return modelList.safeParse(jsonOf(await client.read('/v1/models', signal))).data?.data
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TransientError || !isWithoutPath(error)) throw error
    return undefined
  }
}

/** Whether the server lacks the path. A 401 or 403 is an error of its own, not a missing path. */
export function isWithoutPath(error: unknown): boolean {
  return error instanceof EngineError && WITHOUT_PATH.includes(error.status)
}
