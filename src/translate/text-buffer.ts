/**
 * Text that grows by small deltas, as plain data. Deltas are joined in blocks, so that a million tokens leave neither a
 * million-deep rope nor a copy of the whole text per token.
 */
export interface TextBuffer {
  blocks: string[]
  deltas: string[]
}

const DELTAS_PER_BLOCK = 1024

export function createTextBuffer(): TextBuffer {
  return { blocks: [], deltas: [] }
}

export function appendText(buffer: TextBuffer, delta: string): void {
  if (buffer.deltas.push(delta) < DELTAS_PER_BLOCK) return
  buffer.blocks.push(buffer.deltas.join(''))
  buffer.deltas = []
}

/** The whole text. It is kept as one block, so that asking again copies nothing. */
export function textOf(buffer: TextBuffer): string {
  if (buffer.deltas.length === 0 && buffer.blocks.length <= 1) return buffer.blocks[0] ?? ''
  const text = buffer.blocks.join('') + buffer.deltas.join('')
  buffer.blocks = [text]
  buffer.deltas = []
  return text
}

export function isEmpty(buffer: TextBuffer): boolean {
  return buffer.blocks.length + buffer.deltas.length === 0
}
