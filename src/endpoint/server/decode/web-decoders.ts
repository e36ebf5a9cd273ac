import type { ContentEncoding, Decoder, DecoderMaker } from './decoder.js'

/** Runtimes decode a written chunk at once, whatever comes out: 1,032 times as much at most, 4 MiB of this. */
const PIECE_BYTES = 4_096

/** Returns what every runtime with the web's `DecompressionStream` decodes; nothing without it. */
export function webDecoders(): ReadonlyMap<ContentEncoding, DecoderMaker> {
  if (typeof DecompressionStream !== 'function') return new Map()
  return new Map<ContentEncoding, DecoderMaker>([
    ['gzip', (take) => webDecoder('gzip', take)],
    ['deflate', (take) => webDecoder('deflate', take)],
  ])
}

function webDecoder(format: CompressionFormat, take: (chunk: Uint8Array) => void): Decoder {
  const { readable, writable } = new DecompressionStream(format)
  const reader: ReadableStreamDefaultReader<Uint8Array> = readable.getReader()
  const writer = writable.getWriter()
  const stop = (): void => {
    reader.cancel().catch(() => {})
    writer.abort().catch(() => {})
  }
  const taken = takeAll()
  // Told by the next push or the end.
  taken.catch(() => {})
  writer.closed.catch(() => {})

  async function takeAll(): Promise<void> {
    try {
      for (let step = await reader.read(); !step.done; step = await reader.read()) take(step.value)
    } catch (error) {
      stop()
      throw error
    }
  }

  return {
    async push(chunk) {
      for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
        // The reader's error says why: the writer's only says that the stream has ended.
        const written = writer.write(chunk.slice(at, at + PIECE_BYTES)).catch(() => taken)
        await Promise.race([written, taken.then(() => written)])
      }
    },
    async end() {
      await writer.close().catch(() => taken)
      await taken
    },
    stop,
  }
}
