/** Decompresses a body piece by piece. */
export interface Decoder {
  /** Resolves when all that follows from this chunk was given out, so that no more is read before it is needed. */
  push(chunk: Uint8Array): Promise<void>
  /** Resolves when all was given out. Rejects if the body is not whole. */
  end(): Promise<void>
  /** Releases what it holds. Idempotent. */
  stop(): void
}

/** @param take - called with each decoded chunk; an error of its own stops the decoding, and is that of `push` */
export type DecoderMaker = (take: (chunk: Uint8Array) => void) => Decoder

/** The bytes that a decoder may hold to look back on, by encoding: what its format allows, or its limit here. */
export const WINDOW_BYTES = { gzip: 65_536, deflate: 65_536, br: 16_777_216, zstd: 8_388_608 } as const

export type ContentEncoding = keyof typeof WINDOW_BYTES
