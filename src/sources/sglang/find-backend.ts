import * as z from 'zod'
import { EngineError } from '../../engine/engine-error.js'
import type { HttpClient } from '../http/http-client.js'
import { jsonOf } from '../http/parse-event.js'
import type { GrammarBackend } from '../structured-outputs/backends.js'

const serverInfo = z.object({ grammar_backend: z.string().nullish() })

/** By the names of `--grammar-backend`. Its default is xgrammar. */
const BACKENDS: Readonly<Record<string, GrammarBackend>> = {
  xgrammar: 'xgrammar',
  llguidance: 'guidance',
  outlines: 'other',
  none: 'none',
}

/**
 * Reads which backend compiles the constraints of an SGLang server, in `/server_info`, which older versions call
 * `/get_server_info`. One that has neither, or names a backend that is not known here, is `other`.
 *
 * @throws EngineError if the server takes no calls
 */
export async function findBackend(client: HttpClient, signal: AbortSignal): Promise<GrammarBackend> {
  for (const path of ['/server_info', '/get_server_info']) {
    try {
      const { data } = serverInfo.safeParse(jsonOf(await client.read(path, signal)))
      const name = data?.grammar_backend
      if (typeof name === 'string') return BACKENDS[name] ?? 'other'
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof EngineError) || (error.status !== 404 && error.status !== 405)) throw error
    }
  }
  return 'other'
}
