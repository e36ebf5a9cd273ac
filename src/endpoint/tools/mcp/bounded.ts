const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Returns the text, or as much of its beginning as fits with a line that states its full size.
 *
 * @param max - the limit in bytes of UTF-8, including the line; at least 100
 */
export function bounded(text: string, max: number): string {
  // A UTF-16 unit takes three bytes at most.
  if (text.length * 3 <= max) return text
  const { length } = encoder.encode(text)
  if (length <= max) return text
  const marker = `\n[cut off: ${length} bytes in all]`
  // `encodeInto` writes whole characters only.
  const room = new Uint8Array(max - encoder.encode(marker).length)
  const { written } = encoder.encodeInto(text, room)
  // Not a slice of the text, which would keep all of it in memory.
  return decoder.decode(room.subarray(0, written)) + marker
}
