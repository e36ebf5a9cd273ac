import { check } from '../../shared/errors.js'
import type { HostMessage, ScoredToken } from '../tokens/token-source.js'

const EXPECTED = 'token ids, { id, logprob }, text or { host }'

/**
 * Whether a value is a token id. Ids outside the vocabulary count too: they are the model's mistake, not the caller's.
 */
function isId(id: unknown): id is number {
  return Number.isInteger(id) && (id as number) >= 0
}

/** Checks an id, alone or with log-probabilities. */
export function checkToken(token: unknown): void {
  if (isId(token)) return
  const { id, logprob = 0, topLogprobs = [] } = Object(token) as Partial<ScoredToken>
  const isScored = typeof logprob === 'number' && Array.isArray(topLogprobs)
  const isRight = isId(id) && isScored && topLogprobs.every((top) => typeof Object(top).logprob === 'number')
  check(isRight, 'chunk', EXPECTED, token, 'bad_chunk')
}

/** Checks the content of a host chunk: ids, text or a message. */
export function checkHost(host: unknown): readonly number[] | Uint32Array | string | HostMessage {
  const { author, text, channel = '' } = Object(host) as Partial<HostMessage>
  if (author === undefined) return checkHostTokens(host)
  const isMessage = typeof author === 'string' && author !== '' && typeof text === 'string'
  check(isMessage && typeof channel === 'string', 'host', '{ author, text }', host, 'bad_chunk')
  return host as HostMessage
}

/** Checks ids or text. */
export function checkHostTokens(host: unknown): readonly number[] | Uint32Array | string {
  if (host instanceof Uint32Array || typeof host === 'string') return host
  check(Array.isArray(host), 'host', EXPECTED, host, 'bad_chunk')
  for (const id of host) check(isId(id), 'host', EXPECTED, id, 'bad_chunk')
  return host
}
