import { pipeline, Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'

/** Yields the pieces of a file, decompressed if it is gzip, which `onGzip` is told. */
export async function* unpacked(
  pieces: AsyncIterable<Uint8Array | string>,
  onGzip: () => void,
): AsyncGenerator<Uint8Array | string> {
  const source = pieces[Symbol.asyncIterator]()
  try {
    const head: (Uint8Array | string)[] = []
    let length = 0
    let isGzip = false
    while (length < 2) {
      const { done, value } = await source.next()
      if (done) break
      head.push(copyOf(value))
      length += value.length
      isGzip = startsAsGzip(head)
    }
    if (isGzip) onGzip()
    yield* isGzip ? gunzipped(chained(head, source)) : chained(head, source)
  } finally {
    await source.return?.()
  }
}

function startsAsGzip(head: readonly (Uint8Array | string)[]): boolean {
  const [first, second] = head.flatMap((piece) => (typeof piece === 'string' ? [0] : [...piece.subarray(0, 2)]))
  return first === 0x1f && second === 0x8b
}

async function* chained<Piece>(head: readonly Piece[], rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  yield* head
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value
}

async function* gunzipped(pieces: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  // A truncated file yields its content: the reader reports the cut.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  // Without a callback an error would end the process; it is thrown where the pieces are read.
  pipeline(Readable.from(copied(pieces)), gunzip, () => {})
  yield* gunzip
}

/** Copies the pieces, since the stream requests some before it has decompressed earlier ones. */
async function* copied(pieces: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  for await (const piece of pieces) yield copyOf(piece)
}

/** A piece is valid only until the next one is requested. */
const copyOf = (piece: Uint8Array | string): Uint8Array | string => (typeof piece === 'string' ? piece : piece.slice())
