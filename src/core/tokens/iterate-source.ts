import type { StreamEnd, TokenChunk, TokenSource } from './token-source.js'

/** Reads a source chunk by chunk. */
export type Chunks = AsyncIterator<TokenChunk, StreamEnd | undefined> | Iterator<TokenChunk, StreamEnd | undefined>

/** One step of it: a chunk, or the source's return value. */
export type ChunkStep = IteratorResult<TokenChunk, StreamEnd | undefined>

/** Opens a source. A string is one chunk, although it could be iterated by character. */
export function iterateSource(source: TokenSource): Chunks {
  if (typeof source === 'string') return [source as string].values()
  return (Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()) as Chunks
}
