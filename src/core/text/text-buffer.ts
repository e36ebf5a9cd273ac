/**
 * Text that grows by small deltas, as plain data. It is kept in blocks, so that a million tokens create neither a rope
 * of a million nodes nor a copy of the whole text per token.
 */
export interface TextBuffer {
  blocks: string[]
  /** The deltas since the last block; never empty strings. */
  deltas: string[]
}

/** Each open stream of a server retains up to this many. */
const DELTAS_PER_BLOCK = 64

export function createTextBuffer(): TextBuffer {
  return { blocks: [], deltas: [] }
}

/**
 * Appends a delta without reading it. A token's text is rarely in the processor's cache: reading it here would make
 * every token wait for memory, while `join` waits for many of them at once.
 */
export function appendText(buffer: TextBuffer, delta: string): void {
  const { blocks, deltas } = buffer
  // Not `push`: V8 calls it as a function here, which takes a tenth of a token's instructions.
  deltas[deltas.length] = delta
  if (deltas.length < DELTAS_PER_BLOCK) return
  blocks.push(deltas.join(''))
  buffer.deltas = []
}

/** Returns the complete text, and stores it as one string, so that the next call copies nothing. */
export function textOf(buffer: TextBuffer): string {
  const parts = [...buffer.blocks, ...buffer.deltas]
  if (parts.length > 1) {
    buffer.blocks = [parts.join('')]
    buffer.deltas = []
  }
  return buffer.blocks[0] ?? parts[0] ?? ''
}

export function isEmpty({ blocks, deltas }: TextBuffer): boolean {
  return blocks.length + deltas.length === 0
}
