import { open } from 'node:fs/promises'

/** The size of a piece, in bytes. Each read wakes another thread, which takes longer than copying the bytes. */
const SIZE = 128 * 1024

/**
 * Yields the bytes of a file, in pieces, each valid until the next one is requested: all share one buffer, because new
 * ones would pile up outside the heap, where the garbage collector hardly notices them.
 */
export async function* filePieces(path: string, flags?: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, flags)
  try {
    const buffer = new Uint8Array(SIZE)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, SIZE, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}
