import type { Transform } from 'node:stream'
import { nodeModule } from '../../../shared/system/node-module.js'
import type { ContentEncoding, DecoderMaker } from './decoder.js'

type Make = (options: object) => Transform

/** The part of `node:zlib` that is used here. Older versions have no zstd. */
interface Zlib {
  readonly createGunzip: Make
  readonly createInflate: Make
  readonly createBrotliDecompress: Make
  readonly createZstdDecompress?: Make
  readonly constants: { readonly ZSTD_d_windowLogMax?: number }
}

/** The size of a decoded chunk: work between two looks at the limits. */
const CHUNK = { chunkSize: 65_536 } as const
/** 8 MiB, the largest window of zstd in HTTP (RFC 9659). By default zlib would allocate 128 MiB. */
const ZSTD_WINDOW_LOG = 23

/** Returns what this Node decodes; undefined on other runtimes. */
export function nodeDecoders(): ReadonlyMap<ContentEncoding, DecoderMaker> | undefined {
  const zlib = nodeModule('node:zlib') as Zlib | undefined
  if (zlib === undefined) return undefined
  const { createZstdDecompress: zstd, constants } = zlib
  const { ZSTD_d_windowLogMax: windowLogMax } = constants
  return new Map<ContentEncoding, DecoderMaker>([
    ['gzip', decoderOf(() => zlib.createGunzip(CHUNK))],
    ['deflate', decoderOf(() => zlib.createInflate(CHUNK))],
    ['br', decoderOf(() => zlib.createBrotliDecompress(CHUNK))],
    ...(zstd === undefined || windowLogMax === undefined
      ? []
      : [['zstd', decoderOf(() => zstd({ ...CHUNK, params: { [windowLogMax]: ZSTD_WINDOW_LOG } }))] as const]),
  ])
}

function decoderOf(make: () => Transform): DecoderMaker {
  return (take) => {
    const transform = make()
    const stop = (): void => void transform.destroy()
    let fail = (_error: unknown): void => {}
    const failed = new Promise<never>((_, reject) => {
      fail = (error) => {
        reject(error)
        stop()
      }
    })
    // It may fail while nothing is pushed, and is told by the next push or the end.
    failed.catch(() => {})
    transform.on('error', fail)
    transform.on('data', (chunk: Uint8Array) => {
      // Thrown here, it would end the process.
      try {
        take(chunk)
      } catch (error) {
        fail(error)
      }
    })
    const ended = new Promise<void>((resolve) => transform.once('end', resolve))
    return {
      push: (chunk) => Promise.race([failed, new Promise<void>((done) => transform.write(chunk, () => done()))]),
      end() {
        transform.end()
        return Promise.race([failed, ended])
      },
      stop,
    }
  }
}
