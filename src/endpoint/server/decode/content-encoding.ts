import { RequestError } from '../../../shared/request-error.js'
import { type ContentEncoding, type DecoderMaker, WINDOW_BYTES } from './decoder.js'
import { nodeDecoders } from './node-decoders.js'
import { webDecoders } from './web-decoders.js'

export interface BodyDecoder {
  readonly encoding: ContentEncoding
  readonly make: DecoderMaker
}

type Decoders = ReadonlyMap<ContentEncoding, DecoderMaker>

/** Looked up once: no runtime learns another encoding. */
const DECODERS: Decoders = nodeDecoders() ?? webDecoders()

/**
 * Returns the decoder for a `Content-Encoding`; undefined for a body that is not compressed.
 *
 * @throws UnsupportedEncoding
 */
export function decoderFor(header = '', decoders: Decoders = DECODERS): BodyDecoder | undefined {
  const names = header.toLowerCase().split(',')
  const codings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  if (codings.length === 0) return undefined
  const [coding = ''] = codings
  const encoding = (coding === 'x-gzip' ? 'gzip' : coding) as ContentEncoding
  const make = codings.length === 1 && Object.hasOwn(WINDOW_BYTES, encoding) ? decoders.get(encoding) : undefined
  if (make === undefined) throw new UnsupportedEncoding(header, [...decoders.keys()])
  return { encoding, make }
}

/** A body in an encoding that this server does not decode. */
export class UnsupportedEncoding extends RequestError {
  /** The value of the answer's `Accept-Encoding`. */
  readonly accepted: string

  constructor(header: string, supported: readonly ContentEncoding[]) {
    const accepted = [...supported, 'identity'].join(', ')
    super(`Unsupported Content-Encoding: '${header.slice(0, 80)}'. Send one of: ${accepted}.`, {
      status: 415,
      code: 'unsupported_content_encoding',
    })
    this.accepted = accepted
  }
}
