import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Pages } from '../../endpoint/server/options.js'
import { RequestError } from '../../shared/request-error.js'
import type { Io } from '../io.js'
import { errorCode } from '../io.js'
import { PAGE_POLICY, policyText } from './page-policy.js'

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': policyText(PAGE_POLICY),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The names that the build gives: no path, and no file that is hidden. */
const NAME = /^[\w-]+(?:\.[\w-]+)*\.(css|js|svg)$/

/** The parts of the package that the page shares: they stand beside its folder. */
const SHARED = /^(?:o200k-harmony|chunk)-\w+\.js$/

interface PageFile {
  readonly plain: Uint8Array<ArrayBuffer>
  readonly packed: Uint8Array<ArrayBuffer>
}

/** Serves the files of the page, each of which is read and compressed when it is first asked for. They hold no data. */
export function createPageFiles({ page, pieces }: Pick<Io, 'page' | 'pieces'>): Pages {
  const files = new Map<string, Promise<PageFile>>()

  async function answer(request: Request, name: string, caching: string): Promise<Response> {
    let file = files.get(name)
    if (file === undefined) {
      file = read(pieces(`${page}/${name}`)).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT' || !SHARED.test(name)) throw error
        return read(pieces(`${page}/../${name}`))
      })
      files.set(name, file)
      // A name that is asked for in vain is forgotten, or the names would fill the memory.
      file.catch(() => files.delete(name))
    }
    const { plain, packed } = await file.catch((error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? unknownFile(name) : error
    })
    const isPacked = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? ''
    const headers = { ...HEADERS, 'content-type': type, 'cache-control': caching, vary: 'accept-encoding' }
    return new Response(isPacked ? packed : plain, {
      headers: isPacked ? { ...headers, 'content-encoding': 'gzip' } : headers,
    })
  }

  return {
    '/': (request) => answer(request, 'index.html', 'no-cache'),
    '/page/:name'(request) {
      const { pathname } = new URL(request.url)
      const name = pathname.slice(pathname.lastIndexOf('/') + 1)
      if (!NAME.test(name)) throw unknownFile(name)
      // Their names contain a hash of their content.
      return answer(request, name, 'public, max-age=31536000, immutable')
    },
  }
}

async function read(pieces: AsyncIterable<Uint8Array | string>): Promise<PageFile> {
  const copies: Buffer<ArrayBuffer>[] = []
  for await (const piece of pieces) copies.push(Buffer.from(piece as Uint8Array))
  const plain = Buffer.concat(copies)
  return { plain, packed: (await promisify(gzip)(plain)) as Buffer<ArrayBuffer> }
}

function unknownFile(name: string): RequestError {
  return new RequestError(`The page has no file ${name.slice(0, 200)}.`, { status: 404, code: 'unknown_url' })
}
