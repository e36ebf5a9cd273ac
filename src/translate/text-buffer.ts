/**
 * Text that grows by small deltas, as plain data. It is kept in flat blocks, so that a million tokens leave neither a
 * million-deep rope nor a copy of the whole text per token.
 */
export interface TextBuffer {
  blocks: string[]
  /** What is in no block yet, and how many deltas it was put together from since it was flattened last. */
  tail: string
  count: number
}

/**
 * After so many deltas the tail is flattened: until then each of them holds a node of a rope, in every stream that a
 * server is in the middle of.
 */
const DELTAS_PER_FLATTENING = 32

/** So long a tail becomes a block: flattening it again copies little, and blocks are few. */
const BLOCK_LENGTH = 512

export function createTextBuffer(): TextBuffer {
  return { blocks: [], tail: '', count: 0 }
}

export function appendText(buffer: TextBuffer, delta: string): void {
  buffer.tail += delta
  if (++buffer.count < DELTAS_PER_FLATTENING) return
  buffer.tail = flat(buffer.tail)
  buffer.count = 0
  if (buffer.tail.length < BLOCK_LENGTH) return
  buffer.blocks.push(buffer.tail)
  buffer.tail = ''
}

/** The whole text. It is kept as one, so that asking again copies nothing. */
export function textOf(buffer: TextBuffer): string {
  const { blocks, tail, count } = buffer
  if (count + blocks.length > 0) {
    buffer.tail = flat(blocks.join('') + tail)
    buffer.blocks = []
    buffer.count = 0
  }
  return buffer.tail
}

export function isEmpty({ blocks, tail }: TextBuffer): boolean {
  return tail === '' && blocks.length === 0
}

/**
 * The same text, flat, where a text that was put together is a rope of its parts. Reading a character of a rope makes
 * engines flatten it, for less than `join` costs; what is done with the character only keeps the reading from being
 * optimized away.
 */
export function flat(text: string): string {
  return text.charCodeAt(0) === 0 ? text.slice() : text
}
