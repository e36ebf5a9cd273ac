/**
 * Text that grows by small deltas, as plain data. It is kept in flat blocks, so that a million tokens create neither a
 * rope of a million nodes nor a copy of the whole text per token.
 */
export interface TextBuffer {
  blocks: string[]
  /** Text that is in no block yet, and how many deltas were appended to it since it was last flattened. */
  tail: string
  count: number
}

/**
 * The tail is flattened after this many deltas. Until then each delta keeps a rope node alive, in every open stream of
 * a server.
 */
const DELTAS_PER_FLATTENING = 32

/** A tail of this length becomes a block: short enough to flatten cheaply, long enough to keep blocks few. */
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

/** The complete text. Stored as one string, so that the next call copies nothing. */
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
 * Flattens a string that was concatenated and may be a rope. Reading a character makes engines flatten it, which costs
 * less than `join`. The result depends on the character only so that the read is not optimized away.
 */
export function flat(text: string): string {
  return text.charCodeAt(0) === 0 ? text.slice() : text
}
