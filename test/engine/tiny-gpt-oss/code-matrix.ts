import { VOCABULARY_SIZE } from '../../../src/core/harmony/vocabulary.js'
import { TENSOR_TYPE, type Tensor } from './gguf-writer.js'
import { CODE_BITS, codeBit } from './layout.js'

/** MXFP4: 32 values share a scale, a byte of its own before them, and are 4 bits each, two in a byte. */
const BLOCK_VALUES = 32
const BLOCK_BYTES = 1 + BLOCK_VALUES / 2
/** With this scale the 4-bit patterns below are exactly 1 and -1, and the pattern 0 is 0. */
const SCALE_ONE = 127
const PLUS_ONE = 0b0010
const MINUS_ONE = 0b1010

/**
 * A matrix with a row per token that holds the token's code from a channel on, 1 in the channel `one` where there is
 * one, and else zeros. Only 1, 0 and -1 occur, so 4 bits per value lose nothing, and the file stays small.
 */
export function codeMatrix(name: string, channels: number, from: number, one?: number): Tensor {
  const rowBytes = (channels / BLOCK_VALUES) * BLOCK_BYTES
  const data = new Uint8Array(VOCABULARY_SIZE * rowBytes)

  function set(row: number, channel: number, pattern: number): void {
    const block = row * rowBytes + Math.floor(channel / BLOCK_VALUES) * BLOCK_BYTES
    const inBlock = channel % BLOCK_VALUES
    const half = BLOCK_VALUES / 2
    // The low four bits hold the block's first half, the high ones its second.
    const at = block + 1 + (inBlock % half)
    data[at] = (data[at] ?? 0) | (inBlock < half ? pattern : pattern << 4)
  }

  for (let scale = 0; scale < data.length; scale += BLOCK_BYTES) data[scale] = SCALE_ONE
  for (let id = 0; id < VOCABULARY_SIZE; id++) {
    for (let bit = 0; bit < CODE_BITS; bit++) set(id, from + bit, codeBit(id, bit) === 1 ? PLUS_ONE : MINUS_ONE)
    if (one !== undefined) set(id, one, PLUS_ONE)
  }
  return { name, shape: [channels, VOCABULARY_SIZE], type: TENSOR_TYPE.mxfp4, data }
}
