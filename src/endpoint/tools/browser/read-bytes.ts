/** Reads a body up to a number of bytes, counted after decompression. */
export async function readBytes(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isCut: boolean }> {
  const pieces: Uint8Array[] = []
  let length = 0
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    const left = maxBytes - length
    pieces.push(value.length > left ? value.subarray(0, left) : value)
    length += value.length
    if (length > maxBytes) {
      await reader.cancel()
      break
    }
  }
  const bytes = new Uint8Array(Math.min(length, maxBytes))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return { bytes, isCut: length > maxBytes }
}
