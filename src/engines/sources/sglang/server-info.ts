import * as z from 'zod'
import { jsonOf } from '../../../shared/json-of.js'
import { isHiddenPath } from '../http/hidden-path.js'
import type { HttpClient } from '../http/http-client.js'

/** The part of an SGLang server's information that is needed here. */
export interface ServerInfo {
  /** Its `--grammar-backend`. */
  readonly grammarBackend?: string
  /**
   * The limit of a prompt, in tokens: about 7 below the context, or below what the server's memory holds. SGLang 0.5.23
   * refuses even a prompt of exactly `max_req_input_len` tokens, so this is one less.
   */
  readonly maxPromptLength?: number
}

/** The newer path, and that of older versions. */
export const INFO_PATHS = ['/server_info', '/get_server_info'] as const

const serverInfo = z.object({
  grammar_backend: z.string().optional().catch(undefined),
  max_req_input_len: z.int().min(2).optional().catch(undefined),
})

/**
 * Reads `/server_info`, which answers without the model.
 *
 * @returns only the fields that the server reports; none if it has no such path
 * @throws EngineError if the server does not answer
 */
export async function readServerInfo(client: HttpClient, signal: AbortSignal): Promise<ServerInfo> {
  for (const path of INFO_PATHS) {
    try {
      const { data } = serverInfo.safeParse(jsonOf(await client.read(path, signal)))
      const { grammar_backend, max_req_input_len } = data ?? {}
      return {
        ...(grammar_backend !== undefined && { grammarBackend: grammar_backend }),
        ...(max_req_input_len !== undefined && { maxPromptLength: max_req_input_len - 1 }),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!isHiddenPath(error)) throw error
    }
  }
  return {}
}
