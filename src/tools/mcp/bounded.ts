const encoder = /* @__PURE__ */ new TextEncoder()

/**
 * The text, or as much of its beginning as fits with a line that says how much there was.
 *
 * @param most - bytes of UTF-8, the line included; at least 100
 */
export function bounded(text: string, most: number): string {
  // No character has more than three bytes for each UTF-16 unit.
  if (text.length * 3 <= most) return text
  const { length } = encoder.encode(text)
  if (length <= most) return text
  const marker = `\n[cut off: ${length} bytes in all]`
  // Writes whole characters only.
  const room = new Uint8Array(most - encoder.encode(marker).length)
  const { read } = encoder.encodeInto(text, room)
  return text.slice(0, read) + marker
}
