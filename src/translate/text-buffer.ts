/**
 * Text that grows by small deltas, as plain data. It is kept in flat blocks, so that a million tokens leave neither a
 * million-deep rope nor a copy of the whole text per token.
 */
export interface TextBuffer {
  blocks: string[]
  /** What is in no block yet, and of how many deltas. */
  tail: string
  count: number
}

/** Enough that blocks are few, and so few that a rope of them is flattened within the processor's cache. */
const DELTAS_PER_BLOCK = 256

export function createTextBuffer(): TextBuffer {
  return { blocks: [], tail: '', count: 0 }
}

export function appendText(buffer: TextBuffer, delta: string): void {
  buffer.tail += delta
  if (++buffer.count < DELTAS_PER_BLOCK) return
  buffer.blocks.push(flat(buffer.tail))
  buffer.tail = ''
  buffer.count = 0
}

/** The whole text. It is kept as one block, so that asking again copies nothing. */
export function textOf(buffer: TextBuffer): string {
  const { blocks, tail } = buffer
  if (tail !== '' || blocks.length > 1) {
    buffer.blocks = [flat(blocks.join('') + tail)]
    buffer.tail = ''
    buffer.count = 0
  }
  return buffer.blocks[0] ?? ''
}

export function isEmpty(buffer: TextBuffer): boolean {
  return buffer.blocks.length === 0 && buffer.tail === ''
}

/**
 * The same text, flat. Reading a character of a rope makes engines flatten it, for less than `join` costs; what is done
 * with the character only keeps the reading from being optimized away.
 */
function flat(text: string): string {
  return text.charCodeAt(0) === 0 ? text.slice() : text
}
