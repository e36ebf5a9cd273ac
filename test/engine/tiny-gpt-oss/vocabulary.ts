import { markerText, SPECIAL, VOCABULARY_SIZE } from '../../../src/core/harmony/vocabulary.js'
import { tokenBytes } from '../../support/tokens.js'
import type { MetadataValue } from './gguf-writer.js'

/** Token types, as GGUF numbers them. */
const TOKEN_TYPE = { normal: 1, control: 3 } as const

/**
 * The vocabulary o200k_harmony as GGUF metadata, without merges: they only serve to tokenize, which this library never
 * lets the engine do, and cost a second at each load.
 */
export function vocabularyMetadata(): Record<string, MetadataValue> {
  const tokens: string[] = []
  const types: number[] = []
  for (let id = 0; id < VOCABULARY_SIZE; id++) {
    const bytes = tokenBytes(id)
    tokens.push(bytes === undefined ? markerText(id) : printable(bytes))
    types.push(bytes === undefined ? TOKEN_TYPE.control : TOKEN_TYPE.normal)
  }
  return {
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'gpt-4o' },
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
    'tokenizer.ggml.token_type': { type: 'i32s', value: types },
    'tokenizer.ggml.merges': { type: 'strings', value: [] },
    'tokenizer.ggml.bos_token_id': { type: 'u32', value: SPECIAL.startoftext },
    'tokenizer.ggml.eos_token_id': { type: 'u32', value: SPECIAL.return },
    'tokenizer.ggml.padding_token_id': { type: 'u32', value: SPECIAL.endoftext },
  }
}

/** Bytes as the text that byte-level vocabularies since GPT-2 spell them with: one printable character each. */
function printable(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += printableBytes[byte]
  return text
}

/** A byte that is a printable character in Latin-1 stands for itself; the others are U+0100, U+0101, ... in order. */
const printableBytes: readonly string[] = (() => {
  let substitutes = 0
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : 0x100 + substitutes++))
})()

/** Printable and not blank; 0xAD is the soft hyphen. */
function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad)
}
