import { RequestError } from '../../../shared/request-error.js'
import type { ByteHold } from '../../flow/byte-budget.js'
import { takeOrRefuse } from '../service/limits/memory.js'
import type { BodyDecoder } from './content-encoding.js'
import { WINDOW_BYTES } from './decoder.js'

/** Decoded bytes whose ratio does not matter: short bodies of equal letters compress a thousandfold. */
const FREE_OF_RATIO = 1_048_576

/** A body on its way through its decoder. */
export interface Decoding {
  /** Takes a chunk as it arrives. @throws RequestError if the body became too much */
  push(chunk: Uint8Array): Promise<void>
  /** Resolves when the whole body was given out. @throws RequestError if it is not whole */
  end(): Promise<void>
  /** Releases the decoder and its memory. */
  stop(): void
}

/**
 * Decodes a body, stops at the first excess, and holds the memory of the decoder meanwhile.
 *
 * @param max - how many times its size the body may become
 * @param take - called with each decoded chunk
 * @throws RequestError if there is no room
 */
export function startDecoding(
  { encoding, make }: BodyDecoder,
  { held, max }: { readonly held: ByteHold | undefined; readonly max: number },
  take: (chunk: Uint8Array) => void,
): Decoding {
  const window = WINDOW_BYTES[encoding]
  takeOrRefuse(held, window)
  let [arrived, decoded] = [0, 0]
  const decoder = make((chunk) => {
    decoded += chunk.byteLength
    if (decoded > Math.max(FREE_OF_RATIO, arrived * max)) throw tooCompressed(max)
    take(chunk)
  })
  const worded = (error: unknown): never => {
    throw error instanceof RequestError ? error : undecodable(encoding)
  }
  return {
    push(chunk) {
      arrived += chunk.byteLength
      return decoder.push(chunk).catch(worded)
    },
    end: () => decoder.end().catch(worded),
    stop() {
      decoder.stop()
      held?.give(window)
    },
  }
}

function undecodable(encoding: string): RequestError {
  return new RequestError(`The body of the request is not whole, or is not ${encoding} as its Content-Encoding says.`)
}

function tooCompressed(ratio: number): RequestError {
  return new RequestError(`The body of the request is more than ${ratio} times as large when it is decompressed.`, {
    status: 413,
    code: 'request_too_large',
  })
}
