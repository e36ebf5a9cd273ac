import { deflateRawSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LinkError, MAX_LINK, MAX_UNPACKED, pack, unpack } from '../../src/page/look/packed-text.js'

const packedBy = (bytes: Uint8Array): string => deflateRawSync(bytes).toString('base64url')

test('a text that is packed for a link is unpacked as it was, and the link has no character that needs an escape', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const packed = (await pack(text)) ?? expect.unreachable()
      expect(packed).toMatch(/^[\w-]*$/)
      expect(await unpack(packed)).toBe(text)
    }),
  )
})

test('a link that would unpack to more than its limit is refused, and one at the limit is not', async () => {
  const full = Buffer.alloc(MAX_UNPACKED, 'a')
  expect((await unpack(packedBy(full))).length).toBe(MAX_UNPACKED)
  await expect(unpack(packedBy(Buffer.alloc(MAX_UNPACKED + 1, 'a')))).rejects.toThrow('holds more than 32 MiB')
  expect(await pack('a'.repeat(MAX_UNPACKED + 1))).toBeUndefined()
})

test('a bomb is refused, and is given to the browser in pieces of which each unpacks to a megabyte at most', async () => {
  const bomb = packedBy(Buffer.alloc(300 * 1024 * 1024))
  expect(bomb.length).toBeLessThan(MAX_LINK)
  const given: number[] = []
  const Original = DecompressionStream
  class Watched {
    readonly readable: ReadableStream
    readonly writable: WritableStream

    constructor(format: CompressionFormat) {
      const { readable, writable } = new Original(format)
      const counting = new TransformStream<Uint8Array>({
        transform(bytes, controller) {
          given.push(bytes.length)
          controller.enqueue(bytes)
        },
      })
      this.readable = readable
      this.writable = counting.writable
      counting.readable.pipeTo(writable).catch(() => {})
    }
  }
  vi.stubGlobal('DecompressionStream', Watched)
  onTestFinished(() => void vi.unstubAllGlobals())
  await expect(unpack(bomb)).rejects.toThrow('holds more than 32 MiB')
  // A browser makes all of the output of one piece before any of it is read.
  expect(Math.max(...given)).toBeLessThanOrEqual(1024)
})

test('a text whose link would be too long makes none, and a link that is too long is not read', async () => {
  const text = Array.from({ length: 400_000 }, (_, index) => ((index * 2654435761) >>> 0).toString(36)).join('')
  expect(await pack(text)).toBeUndefined()
  await expect(unpack('A'.repeat(MAX_LINK + 1))).rejects.toThrow('more than 1,000,000 characters')
})

test('whatever stands in a link, it is a text or a clear refusal', async () => {
  const cut = packedBy(Buffer.from('A text that is cut off in the middle of it.')).slice(0, -8)
  for (const packed of ['', '%%%', 'ä', 'A', cut, packedBy(Buffer.from([0xff]))]) {
    await expect(unpack(packed), packed).rejects.toThrow('This link is damaged')
  }
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (packed) => {
      await unpack(packed).catch((error: unknown) => expect(error).toBeInstanceOf(LinkError))
    }),
  )
})
