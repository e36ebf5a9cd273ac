/** Of workers alone: the types of a page lack it. */
declare const FileReaderSync: new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer }

/** How many bytes are read at a time, and how many are passed on together: their findings are kept until then. */
const READ = 1024 * 1024
const PIECE = 64 * 1024

/** Bytes that are read piece by piece, as often as they are needed. */
export interface Source {
  /** In bytes. */
  readonly size: number
  read(): Iterable<Uint8Array>
}

/** Reads a file in a worker: at once, because the models of clients ask for events so. */
export function sourceOf(blob: Blob): Source {
  const reader = new FileReaderSync()
  return {
    size: blob.size,
    *read() {
      for (let from = 0; from < blob.size; from += READ) {
        const bytes = new Uint8Array(reader.readAsArrayBuffer(blob.slice(from, from + READ)))
        for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
      }
    },
  }
}

/** Tells how much of a number of readings is done. Each begins where the one before should have ended. */
export function withProgress(source: Source, readings: number, tell: (share: number) => void): Source {
  let begun = 0
  return {
    size: source.size,
    *read() {
      const before = begun++
      let done = 0
      for (const piece of source.read()) {
        if (done % READ === 0) tell((before + done / source.size) / readings)
        done += piece.length
        yield piece
      }
    },
  }
}
