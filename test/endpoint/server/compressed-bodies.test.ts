import { request } from 'node:http'
import { PassThrough } from 'node:stream'
import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decoderFor } from '../../../src/endpoint/server/decode/content-encoding.js'
import { startDecoding } from '../../../src/endpoint/server/decode/decoding.js'
import { webDecoders } from '../../../src/endpoint/server/decode/web-decoders.js'
import { type ResponsesServer, serveResponses } from '../../../src/endpoint/server/node.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { type Endpoint, endpoint, JSON_TYPE, tokenTable } from './endpoint.js'

/** The type of Node's zlib is that of its oldest supported version, which has no zstd. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: (body: string | Uint8Array) => Buffer }

const COMPRESS: Readonly<Record<string, (body: string | Uint8Array) => Buffer>> = {
  gzip: zlib.gzipSync,
  'X-GZip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  ...(zstdCompressSync && { zstd: zstdCompressSync }),
}
const ENCODINGS = Object.keys(COMPRESS)
const MIB = 1_048_576

/** A body of each API, by its path. */
const BODIES: Readonly<Record<string, object>> = {
  '/v1/responses': { model: 'gpt-oss', input: 'Hi' },
  '/v1/chat/completions': { model: 'gpt-oss', messages: [{ role: 'user', content: 'Hi' }] },
  '/v1/messages': { model: 'gpt-oss', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
}
const PATHS = Object.keys(BODIES)

const says = (options = {}): Endpoint => endpoint(() => answer('Hi.'), options)

function post({ send }: Endpoint, path: string, body: BodyInit, encoding: string): Promise<Response> {
  const headers = { ...JSON_TYPE, 'content-encoding': encoding }
  return send(path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
}

const NONE = Buffer.alloc(0)
const ZEROS = zlib.gzipSync(Buffer.alloc(MIB))

/** One member of a MiB again and again, which takes no time to make. */
const gzipBomb = (mebibytes: number): Buffer => Buffer.concat(Array<Buffer>(mebibytes).fill(ZEROS))

/** A bomb of this many MiB of zeros, and how much of it was pulled. */
function bomb(encoding: string, mebibytes: number): { readonly body: ReadableStream; readonly pulled: () => number } {
  const bytes =
    encoding === 'gzip' ? gzipBomb(mebibytes) : (COMPRESS[encoding]?.(Buffer.alloc(mebibytes * MIB)) ?? NONE)
  let at = 0
  const body = new ReadableStream(
    {
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(new Uint8Array(bytes.subarray(at, at + 1_024)))
        at += 1_024
      },
    },
    { highWaterMark: 0 },
  )
  return { body, pulled: () => at / bytes.length }
}

describe('a compressed body', () => {
  test.each(ENCODINGS)('a body in %s is read in every API', async (encoding) => {
    for (const path of PATHS) {
      const body = COMPRESS[encoding]?.(JSON.stringify(BODIES[path])) as Buffer
      expect((await post(says(), path, new Uint8Array(body), encoding)).status).toBe(200)
    }
  })

  test('identity, and no name, are a body as it is', async () => {
    for (const encoding of ['identity', ' ', ',identity']) {
      expect((await post(says(), '/v1/responses', '{"input":"Hi"}', encoding)).status).toBe(200)
    }
  })

  test.each(['gzip, br', 'gzip,gzip', 'compress', 'toString', 'aws-chunked'])(
    'a body in %s is 415 in the form of each API, with the encodings that are decoded',
    async (encoding) => {
      for (const path of PATHS) {
        const refused = await post(says(), path, '{"input":"Hi"}', encoding)
        expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([
          415,
          `gzip, deflate, br, ${zstdCompressSync ? 'zstd, ' : ''}identity`,
        ])
        const { error, type } = await refused.json()
        expect(error).toMatchObject({ type: 'invalid_request_error', message: expect.stringContaining(encoding) })
        if (path === '/v1/messages') expect(type).toBe('error')
        else expect(error.code).toBe('unsupported_content_encoding')
      }
    },
  )

  test.each(ENCODINGS)('a body in %s that is cut off, or is something else, is 400 and says so', async (encoding) => {
    // Too little to be told apart by its JSON alone.
    const whole = COMPRESS[encoding]?.(`{"input":"Hi"}${' '.repeat(1_000)}`) as Buffer
    for (const bytes of [whole.subarray(0, -3), Buffer.from('{"input":"Hi"}'), Buffer.alloc(0)]) {
      const refused = await post(says(), '/v1/responses', new Uint8Array(bytes), encoding)
      expect(refused.status).toBe(400)
      const { message } = (await refused.json()).error
      // Node's zstd takes a body that is cut off for whole: its JSON is not.
      expect(message).toMatch(
        encoding === 'zstd' ? /is not whole, or is not|parse the JSON/ : 'is not whole, or is not',
      )
    }
  })
})

describe('a bomb', () => {
  test('a gigabyte of zeros is stopped by the ratio of one MiB, in every API', async () => {
    for (const path of PATHS) {
      const { body, pulled } = bomb('gzip', 1_024)
      const refused = await post(says(), path, body, 'gzip')
      expect([refused.status, (await refused.json()).error.message]).toEqual([
        413,
        expect.stringContaining('200 times'),
      ])
      expect(pulled()).toBeLessThan(0.01)
    }
  })

  test.each(ENCODINGS.filter((encoding) => encoding !== 'X-GZip'))(
    'a bomb in %s is stopped by the limit of bytes where any ratio is allowed',
    async (encoding) => {
      const served = says({ limits: { bodyBytes: 2 * MIB, bodyRatio: 1_000_000 } })
      const { body } = bomb(encoding, 8)
      const refused = await post(served, '/v1/responses', body, encoding)
      expect([refused.status, (await refused.json()).error.message]).toEqual([
        413,
        `The body of the request is larger than ${2 * MIB} bytes.`,
      ])
      expect(served.service.memory.used).toBe(0)
    },
  )

  test('a body of nothing but empty blocks is read no further than the limit of bytes', async () => {
    let pulled = 0
    const head = zlib.deflateRawSync('', { finishFlush: zlib.constants.Z_SYNC_FLUSH })
    const block = new Uint8Array(Buffer.concat(Array<Buffer>(20_000).fill(head.subarray(-5))))
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1
          controller.enqueue(pulled === 1 ? Uint8Array.of(0x78, 0x9c) : block)
        },
      },
      { highWaterMark: 0 },
    )
    const refused = await post(says({ limits: { bodyBytes: MIB } }), '/v1/responses', body, 'deflate')
    expect([refused.status, pulled]).toEqual([413, 12])
  })

  test('the memory of a decoder is counted, and refused where there is none', async () => {
    const body = new Uint8Array(zlib.brotliCompressSync('{"input":"Hi"}'))
    expect((await post(says({ limits: { memoryBytes: 16 * MIB } }), '/v1/responses', body, 'br')).status).toBe(413)
  })
})

describe('over a socket', () => {
  let server: ResponsesServer
  beforeAll(async () => {
    const engine = scriptedEngine(() => answer('Hi.'), { tokenTable })
    server = await serveResponses({ engine, tokenTable, port: 0 })
  })
  afterAll(() => server.close())

  function status(body: Uint8Array, encoding: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { ...JSON_TYPE, 'content-encoding': encoding }
      const outgoing = request({ port: server.port, path: '/v1/responses', method: 'POST', headers })
      outgoing.on('response', (incoming) => resolve(incoming.resume().statusCode)).on('error', reject)
      new PassThrough().end(body).pipe(outgoing)
    })
  }

  test.each(ENCODINGS)('a large body in %s is read from the socket', async (encoding) => {
    const text = Array.from({ length: 20_000 }, (_, at) => `${at * 7_919}`).join(' ')
    expect(await status(COMPRESS[encoding]?.(JSON.stringify({ input: text })) as Buffer, encoding)).toBe(200)
  })

  test('a bomb is answered, and so is what comes after it', async () => {
    expect(await status(gzipBomb(1_024), 'gzip')).toBe(413)
    expect(await status(zlib.gzipSync('{"input":"Hi"}'), 'gzip')).toBe(200)
  })
})

describe('a runtime without zlib', () => {
  const decoders = webDecoders()

  async function decoded(bytes: Uint8Array, encoding: string, max = 200): Promise<string> {
    const parts: Uint8Array[] = []
    const decoder = decoderFor(encoding, decoders) ?? expect.fail('no decoder')
    const decoding = startDecoding(decoder, { held: undefined, max }, (chunk) => void parts.push(chunk))
    try {
      await decoding.push(bytes)
      await decoding.end()
    } finally {
      decoding.stop()
    }
    return Buffer.concat(parts).toString()
  }

  test.each(['gzip', 'deflate'])('it decodes %s, and refuses bombs and bodies that are not whole', async (encoding) => {
    const text = Array.from({ length: 20_000 }, (_, at) => `${at * 7_919}`).join(' ')
    const bytes = new Uint8Array(COMPRESS[encoding]?.(text) as Buffer)
    expect(await decoded(bytes, encoding)).toBe(text)
    await expect(decoded(bytes.subarray(0, -9), encoding)).rejects.toThrow('is not whole')
    await expect(decoded(new TextEncoder().encode('{"input":"Hi"}'), encoding)).rejects.toThrow('is not whole')
    const zeros = new Uint8Array(COMPRESS[encoding]?.(Buffer.alloc(8 * MIB)) as Buffer)
    await expect(decoded(zeros, encoding)).rejects.toThrow('200 times')
  })

  test('it refuses br and zstd', () => {
    for (const encoding of ['br', 'zstd']) {
      expect(() => decoderFor(encoding, decoders)).toThrow('Send one of: gzip, deflate, identity.')
    }
  })
})
