import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { filePieces } from '../../src/cli/file-pieces.js'
import { unpacked } from '../../src/cli/unpacked.js'

const folders: string[] = []
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))))

/** A file of more than one piece. */
async function fileOf(content: Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pieces-'))
  folders.push(folder)
  const path = join(folder, 'capture')
  await writeFile(path, content)
  return path
}

const TEXT = Buffer.from(Array.from({ length: 100_000 }, (_, at) => `line ${(at * 7919) % 100_003}`).join('\n'))

async function read(pieces: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(Buffer.from(piece))
  return Buffer.concat(all)
}

test('a file is read piece by piece, each copied before the next is asked for', async () => {
  expect((await read(filePieces(await fileOf(TEXT)))).equals(TEXT)).toBe(true)
})

test('a gzip file is unpacked whole, although all pieces share one buffer', async () => {
  let isGzip = false
  const pieces = filePieces(await fileOf(gzipSync(TEXT)))
  const text = await read(unpacked(pieces, () => (isGzip = true)))
  expect([isGzip, text.equals(TEXT)]).toEqual([true, true])
})

test('a file whose first piece is one byte keeps it', async () => {
  const buffer = new Uint8Array(1)
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const byte of TEXT.subarray(0, 50)) {
      buffer[0] = byte
      yield buffer
    }
  }
  expect((await read(unpacked(bytes(), () => {}))).equals(TEXT.subarray(0, 50))).toBe(true)
})

test('a file that is not there is an error with its code', async () => {
  await expect(read(filePieces('/nowhere/at/all'))).rejects.toMatchObject({ code: 'ENOENT' })
})
