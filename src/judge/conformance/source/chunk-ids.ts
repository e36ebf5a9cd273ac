import type { HarmonyToken, TokenChunk } from '../../../core/tokens/token-source.js'

/** A chunk's ids. Anything else becomes a description, which equals no id and so is reported. */
export function idsOf(chunk: TokenChunk): (number | string)[] {
  if (chunk instanceof Uint32Array) return [...chunk]
  if (Array.isArray(chunk)) return (chunk as readonly HarmonyToken[]).map((token) => idsOf(token)[0] ?? 'nothing')
  if (typeof chunk === 'number') return [chunk]
  if (typeof chunk === 'object' && chunk !== null && 'id' in chunk) return [chunk.id]
  return [typeof chunk === 'string' ? `text ${chunk}` : 'no token']
}
