import { closeSync, openSync, writeSync } from 'node:fs'
import { toBf16 } from './bf16.js'
import type { Tensor } from './tensors.js'

/** Writes weights of 16 bits as one file of safetensors. */
export function writeSafetensors(path: string, tensors: readonly Tensor[]): void {
  let at = 0
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  for (const { name, shape, data } of tensors) {
    header[name] = { dtype: 'BF16', shape, data_offsets: [at, at + 2 * data.length] }
    at += 2 * data.length
  }
  const json = JSON.stringify(header)
  const padded = json.padEnd(Math.ceil(json.length / 8) * 8)
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(padded.length))
  const file = openSync(path, 'w')
  try {
    for (const bytes of [size, Buffer.from(padded)]) writeAll(file, bytes)
    for (const { data } of tensors) writeAll(file, halves(data))
  } finally {
    closeSync(file)
  }
}

function halves(values: Float32Array): Buffer {
  const bits = new Uint16Array(values.length)
  for (const [index, value] of values.entries()) if (value !== 0) bits[index] = toBf16(value)
  return Buffer.from(bits.buffer)
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
