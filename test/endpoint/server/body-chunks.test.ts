import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BodyRead, isUnread, readIncoming, readStream } from '../../../src/endpoint/server/body-chunks.js'
import { runs } from '../../support/runs.js'

/** Node's request, as far as a body is concerned: a stream that gives these chunks, and then what `ends` does. */
function incomingOf(
  chunks: readonly Uint8Array[],
  ends: (stream: Readable) => void = (stream) => stream.push(null),
): IncomingMessage {
  const left = [...chunks]
  return new Readable({
    read() {
      const chunk = left.shift()
      if (chunk === undefined) ends(this)
      else this.push(chunk)
    },
  }) as IncomingMessage
}

const webOf = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

async function bytesOf(read: (take: (chunk: Uint8Array) => void) => BodyRead): Promise<number[]> {
  const bytes: number[] = []
  await read((chunk) => void bytes.push(...chunk)).done
  return bytes
}

test('a body is the same from a web stream and from Node, however it is cut', async () => {
  const anyChunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(anyChunks, async (chunks) => {
      const whole = chunks.flatMap((chunk) => [...chunk])
      expect(await bytesOf((take) => readStream(webOf(chunks), take))).toEqual(whole)
      expect(await bytesOf((take) => readIncoming(incomingOf(chunks), take))).toEqual(whole)
    }),
    { numRuns: runs(100) },
  )
})

test('a body of Node that breaks off is an error', async () => {
  const broken = incomingOf([Uint8Array.of(1)], (stream) => stream.destroy(new Error('ECONNRESET')))
  await expect(bytesOf((take) => readIncoming(broken, take))).rejects.toThrow('ECONNRESET')
  const closed = incomingOf([Uint8Array.of(1)], (stream) => stream.destroy())
  await expect(bytesOf((take) => readIncoming(closed, take))).rejects.toThrow('the client left')
})

test('a body of Node whose client has left before is an error', async () => {
  const gone = incomingOf([])
  gone.destroy()
  await expect(bytesOf((take) => readIncoming(gone, take))).rejects.toThrow('the client left')
})

test('a body of Node that is refused is read no further, and its socket is left to the answer', async () => {
  let given = 0
  const endless = new Readable({
    highWaterMark: 1,
    read() {
      given += 1
      this.push(Uint8Array.of(given))
    },
  }) as IncomingMessage
  const taken: number[] = []
  const refused = readIncoming(endless, (chunk) => {
    taken.push(...chunk)
    if (taken.length === 3) throw new Error('too large')
  })
  await expect(refused.done).rejects.toThrow('too large')
  const before = given
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect([taken, given, endless.destroyed, endless.listenerCount('data')]).toEqual([[1, 2, 3], before, false, 0])
})

test('a body of Node that is stopped is taken no further', async () => {
  const waiting = new Readable({ read() {} }) as IncomingMessage
  const taken: Uint8Array[] = []
  const reading = readIncoming(waiting, (chunk) => void taken.push(chunk))
  reading.stop()
  waiting.push(Uint8Array.of(1))
  await new Promise((resolve) => setImmediate(resolve))
  expect([taken, waiting.destroyed, waiting.listenerCount('close')]).toEqual([[], false, 0])
})

test('a body of Node that somebody has begun to read, or wants as text, is not read from there', async () => {
  const read = incomingOf([Uint8Array.of(1)])
  expect(isUnread(read)).toBe(true)
  await bytesOf((take) => readIncoming(read, take))
  const text = incomingOf([])
  text.setEncoding('utf8')
  expect([isUnread(read), isUnread(text), isUnread(undefined)]).toEqual([false, false, false])
})
