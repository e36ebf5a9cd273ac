import { HarmonyResponsesError } from '../errors.js'
import type { HarmonyToken, ScoredToken } from '../tokens/token-source.js'
import { describe } from './options.js'

/** A token id may lie outside the vocabulary, which is the model's doing; but it has to be a whole number from 0. */
export function checkId(id: unknown): number {
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0) return id
  throw badChunk('token', id)
}

export function checkScored(token: unknown): ScoredToken {
  if (token === null || typeof token !== 'object' || !('id' in token)) throw badChunk('chunk', token)
  checkId(token.id)
  return token as ScoredToken
}

export function isTokenList(chunk: unknown): chunk is readonly HarmonyToken[] {
  return Array.isArray(chunk)
}

/** Every id of a host's chunk. */
export function checkHost(host: unknown): readonly number[] | Uint32Array {
  if (host instanceof Uint32Array) return host
  if (!Array.isArray(host)) throw badChunk('host', host)
  for (const id of host) checkId(id)
  return host
}

function badChunk(what: string, got: unknown): HarmonyResponsesError {
  return new HarmonyResponsesError(
    'bad_chunk',
    `${what}: expected a token id, an array of them, text or { host }, got ${describe(got)}`,
  )
}
