import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { HarmonyResponsesError } from '../../shared/errors.js'
import { parseJson } from '../../shared/parse-json.js'
import { RequestError } from '../../shared/request-error.js'
import { createPace, createWork, type Pause, withPauses } from '../../shared/slices.js'
import type { ByteHold } from '../flow/byte-budget.js'
import { nextTurn } from '../flow/next-turn.js'
import { createJsonScan, type JsonScan, scanJson } from '../request/json-scan.js'
import { type RequestLimits, resolveLimits } from '../request/limits.js'
import { isUnread, readIncoming, readStream } from './body-chunks.js'
import { decoderFor } from './decode/content-encoding.js'
import { startDecoding } from './decode/decoding.js'
import { type NodeBindings, nodeBindings } from './node-bindings.js'
import { type BodyCount, createBodyCount } from './service/limits/body-count.js'

/** What bounds the body of a request. */
export interface BodyLimits {
  /** The limit of a request's body, in bytes, also once it is decompressed. Default 33,554,432: 32 MiB. */
  readonly bodyBytes?: number
  /** How many times its size a compressed body may become, above its first decoded MiB. Default 200. */
  readonly bodyRatio?: number
  /** The time limit for a body to arrive, in seconds. Default 30. */
  readonly bodySeconds?: number
}

export type ReadJson = (context: Context) => Promise<unknown>

/**
 * @param size - the limits of a body: a text beyond them is refused before it is parsed
 * @throws HarmonyResponsesError `bad_option`
 */
export function createJsonReader(
  { bodyBytes = 33_554_432, bodyRatio = 200, bodySeconds = 30 }: BodyLimits = {},
  size: RequestLimits = {},
  pause: Pause = nextTurn,
): ReadJson {
  const bounds = resolveLimits(size)
  return async (context) => {
    const length = Number(context.req.header('content-length')) || 0
    if (length > bodyBytes) throw tooLarge(bodyBytes)
    const count = createBodyCount(context.get('held') as ByteHold)
    count.bytes(length)
    const bindings = nodeBindings(context)
    const body = await keptBody(context, bindings).catch((error) => {
      throw error instanceof HarmonyResponsesError ? error : unreadable()
    })
    if (typeof body === 'object') return body
    const scan = createJsonScan(bounds)
    const text =
      body ?? (await readText(context, bindings.incoming, { bodyBytes, bodyRatio, bodySeconds }, scan, count))
    if (text.length > bodyBytes) throw tooLarge(bodyBytes)
    count.bytes(text.length)
    count.values(body === undefined ? scan.values : await withPauses(scanJson(text, bounds, createWork()), pause))
    const pace = createPace(pause)
    // The work before and after it is in other slices.
    await pace(PARSING * text.length)
    try {
      const value = await withPauses(parseJson(text, createWork()), pause)
      await pace(PARSING * text.length)
      return value
    } catch {
      const message =
        'We could not parse the JSON body of your request. (HINT: This likely means you are not using your '
      throw new RequestError(`${message}HTTP library correctly. The API expects a JSON payload.)`)
    }
  }
}

/** The cost of parsing a character, relative to encoding one. */
const PARSING = 1 / 16

/** Reads at most the allowed bytes, whatever length was announced, and however much they become. */
async function readText(
  context: Context,
  incoming: IncomingMessage | undefined,
  { bodyBytes, bodyRatio, bodySeconds }: Required<BodyLimits>,
  scan: JsonScan,
  count: BodyCount,
): Promise<string> {
  // A parser that read the body before has decoded it; this one has not been read.
  const coding = decoderFor(context.req.header('content-encoding'))
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  const take = (chunk: Uint8Array): void => {
    bytes += chunk.byteLength
    if (bytes > bodyBytes) throw tooLarge(bodyBytes)
    count.bytes(bytes)
    scan.push(chunk)
    count.values(scan.values)
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  const body = isUnread(incoming) ? incoming : context.req.raw.body
  if (body === null) return ''
  const held = context.get('held') as ByteHold
  const decoding = coding && startDecoding(coding, { held, max: bodyRatio }, take)
  let arrived = 0
  const takeEncoded = (chunk: Uint8Array): void | Promise<void> => {
    arrived += chunk.byteLength
    if (arrived > bodyBytes) throw tooLarge(bodyBytes)
    return decoding?.push(chunk)
  }
  const takeEach = decoding === undefined ? take : takeEncoded
  const reading = 'getReader' in body ? readStream(body, takeEach) : readIncoming(body, takeEach)
  const whole = decoding === undefined ? reading.done : reading.done.then(() => decoding.end())
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), bodySeconds * 1000)
  })
  try {
    await Promise.race([whole, late])
  } catch (error) {
    reading.stop()
    if (error instanceof RequestError) throw error
    throw unreadable()
  } finally {
    clearTimeout(timer)
    decoding?.stop()
  }
  return parts.join('') + decoder.decode()
}

function unreadable(): RequestError {
  return new RequestError('The body of the request could not be read to its end.')
}

function tooLate(): RequestError {
  return new RequestError('The body of the request did not come in time.', { status: 408 })
}

function tooLarge(bytes: number): RequestError {
  return new RequestError(`The body of the request is larger than ${bytes} bytes.`, {
    status: 413,
    code: 'request_too_large',
  })
}

/**
 * Returns a body that was read before, parsed or as text; undefined if it is unread. Parsers such as `express.json()`
 * leave it on Node's request, and Hono keeps the body that a middleware reads by `context.req`.
 *
 * @throws HarmonyResponsesError `bad_option` if it was read and not kept; the error of the middleware's own reading
 */
async function keptBody({ req }: Context, { incoming }: NodeBindings): Promise<object | string | undefined> {
  if (incoming?.readableDidRead) {
    const { body } = incoming as { readonly body?: unknown }
    if (body instanceof Uint8Array) return new TextDecoder().decode(body)
    if (typeof body === 'string' || (typeof body === 'object' && body !== null)) return body
  }
  if (Object.keys(req.bodyCache).length > 0) return req.text()
  if (req.raw.bodyUsed) throw new HarmonyResponsesError('bad_option', WAS_READ)
  return undefined
}

const WAS_READ = 'request: expected an unread body, got one that was read: read `request.clone()` instead'
