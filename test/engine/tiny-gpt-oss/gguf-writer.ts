import { closeSync, openSync, writeSync } from 'node:fs'

/** How a tensor's values are stored, as GGUF numbers it. */
export const TENSOR_TYPE = { f32: 0, mxfp4: 39 } as const

export interface Tensor {
  readonly name: string
  /** In GGUF's order: the dimension whose values lie side by side comes first. A matrix is `[columns, rows]`. */
  readonly shape: readonly number[]
  readonly type: (typeof TENSOR_TYPE)[keyof typeof TENSOR_TYPE]
  readonly data: Uint8Array
}

/** A metadata value with the type that the engine expects under that key. */
export type MetadataValue =
  | { readonly type: 'u32' | 'f32'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] }

const MAGIC = 'GGUF'
const VERSION = 3
/** Where tensors may begin: GGUF's default, so that no `general.alignment` is needed. */
const ALIGNMENT = 32
const VALUE_TYPE = { u32: 4, i32: 5, f32: 6, string: 8, array: 9 } as const

/** Writes a GGUF file, version 3: header, metadata, the table of tensors, then their data. */
export function writeGguf(
  path: string,
  metadata: Readonly<Record<string, MetadataValue>>,
  tensors: readonly Tensor[],
): void {
  const head = headOf(metadata, tensors)
  const file = openSync(path, 'w')
  try {
    writeAligned(file, head)
    for (const { data } of tensors) writeAligned(file, data)
  } finally {
    closeSync(file)
  }
}

function headOf(metadata: Readonly<Record<string, MetadataValue>>, tensors: readonly Tensor[]): Uint8Array {
  const head = new ByteWriter()
  head.ascii(MAGIC)
  head.u32(VERSION)
  head.u64(tensors.length)
  head.u64(Object.keys(metadata).length)
  for (const [key, entry] of Object.entries(metadata)) {
    head.string(key)
    writeValue(head, entry)
  }
  let offset = 0
  for (const { name, shape, type, data } of tensors) {
    head.string(name)
    head.u32(shape.length)
    for (const size of shape) head.u64(size)
    head.u32(type)
    head.u64(offset)
    offset += aligned(data.length)
  }
  return head.bytes()
}

function writeValue(head: ByteWriter, entry: MetadataValue): void {
  switch (entry.type) {
    case 'u32':
      head.u32(VALUE_TYPE.u32)
      head.u32(entry.value)
      break
    case 'f32':
      head.u32(VALUE_TYPE.f32)
      head.f32(entry.value)
      break
    case 'string':
      head.u32(VALUE_TYPE.string)
      head.string(entry.value)
      break
    case 'strings':
      writeArrayHead(head, VALUE_TYPE.string, entry.value.length)
      for (const text of entry.value) head.string(text)
      break
    case 'i32s':
      writeArrayHead(head, VALUE_TYPE.i32, entry.value.length)
      for (const value of entry.value) head.i32(value)
  }
}

function writeArrayHead(head: ByteWriter, elementType: number, length: number): void {
  head.u32(VALUE_TYPE.array)
  head.u32(elementType)
  head.u64(length)
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

function writeAligned(file: number, bytes: Uint8Array): void {
  writeAll(file, bytes)
  writeAll(file, new Uint8Array(aligned(bytes.length) - bytes.length))
}

/** `writeSync` may write less than it was given. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

/** Appends numbers and texts, little endian, to bytes that grow as needed. */
class ByteWriter {
  #buffer = Buffer.alloc(1 << 20)
  #length = 0

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  u32(value: number): void {
    this.#reserve(4)
    this.#length = this.#buffer.writeUInt32LE(value, this.#length)
  }

  i32(value: number): void {
    this.#reserve(4)
    this.#length = this.#buffer.writeInt32LE(value, this.#length)
  }

  u64(value: number): void {
    this.#reserve(8)
    this.#length = this.#buffer.writeBigUInt64LE(BigInt(value), this.#length)
  }

  f32(value: number): void {
    this.#reserve(4)
    this.#length = this.#buffer.writeFloatLE(value, this.#length)
  }

  ascii(text: string): void {
    this.#reserve(text.length)
    this.#length += this.#buffer.write(text, this.#length, 'latin1')
  }

  /** UTF-8 bytes, preceded by their count. */
  string(text: string): void {
    const length = Buffer.byteLength(text)
    this.u64(length)
    this.#reserve(length)
    this.#length += this.#buffer.write(text, this.#length)
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#buffer.length) return
    const larger = Buffer.alloc(Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(larger)
    this.#buffer = larger
  }
}
