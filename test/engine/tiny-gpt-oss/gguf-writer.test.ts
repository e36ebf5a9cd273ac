import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type MetadataValue, TENSOR_TYPE, type Tensor, writeGguf } from './gguf-writer.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gguf-'))
})

afterEach(() => rm(folder, { recursive: true }))

async function written(metadata: Record<string, MetadataValue>, tensors: readonly Tensor[] = []): Promise<Buffer> {
  const path = join(folder, 'model.gguf')
  writeGguf(path, metadata, tensors)
  return readFile(path)
}

/** Texts as they are, numbers as 4 bytes, big ones as 8; then zeros up to a multiple of 32. */
function bytes(...parts: readonly (string | number | bigint)[]): Buffer {
  const all = Buffer.concat(parts.map(bytesOf))
  return Buffer.concat([all, Buffer.alloc((32 - (all.length % 32)) % 32)])
}

function bytesOf(part: string | number | bigint): Buffer {
  if (typeof part === 'string') return Buffer.from(part)
  return Buffer.from(typeof part === 'number' ? Int32Array.of(part).buffer : BigInt64Array.of(part).buffer)
}

function tensorOf(name: string, letters: string): Tensor {
  return { name, shape: [letters.length / 4], type: TENSOR_TYPE.f32, data: Buffer.from(letters) }
}

describe('a GGUF file', () => {
  test('a GGUF file begins with its magic number, version 3 and the counts of tensors and of metadata', async () => {
    expect(await written({})).toEqual(bytes('GGUF', 3, 0n, 0n))
  })

  test.for<[string, MetadataValue, (string | number | bigint)[]]>([
    ['a number', { type: 'u32', value: 7 }, [4, 7]],
    ['a fraction', { type: 'f32', value: 2 }, [6, 0x40000000]],
    ['a text, preceded by its length in bytes', { type: 'string', value: 'é' }, [8, 2n, 'é']],
    ['texts', { type: 'strings', value: ['x', ''] }, [9, 8, 2n, 1n, 'x', 0n]],
    ['signed numbers', { type: 'i32s', value: [-1, 2] }, [9, 5, 2n, -1, 2]],
  ])('a GGUF file holds %s', async ([, value, expected]) => {
    expect(await written({ key: value })).toEqual(bytes('GGUF', 3, 0n, 1n, 3n, 'key', ...expected))
  })

  test('a GGUF file lists its tensors, whose data begins at multiples of 32', async () => {
    const file = await written({}, [tensorOf('t', 'ABCDEFGH'), tensorOf('u', 'abcd')])
    const table = [1n, 't', 1, 2n, 0, 0n, 1n, 'u', 1, 1n, 0, 32n]
    expect(file).toEqual(Buffer.concat([bytes('GGUF', 3, 2n, 0n, ...table), bytes('ABCDEFGH'), bytes('abcd')]))
  })

  test('a GGUF file may have more metadata than was reserved for it', async () => {
    const text = 'x'.repeat(3 << 20)
    const file = await written({ key: { type: 'string', value: text } })
    expect(file.equals(bytes('GGUF', 3, 0n, 1n, 3n, 'key', 8, BigInt(text.length), text))).toBe(true)
  })
})
