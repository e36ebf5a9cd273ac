import type { Context } from 'hono'
import { check, HarmonyResponsesError } from '../errors.js'
import { RequestError } from '../request-error.js'
import { isUnread, readIncoming, readStream } from './body-chunks.js'
import { nodeBindings } from './node-bindings.js'

export interface BodyLimits {
  /** Of a request's body. Default 33,554,432: 32 MiB. */
  readonly bodyBytes?: number
  /** How long a body may take to come, in seconds. Default 30. */
  readonly bodySeconds?: number
}

export type ReadJson = (context: Context) => Promise<unknown>

/** @throws HarmonyResponsesError `bad_option` */
export function createJsonReader({ bodyBytes = 33_554_432, bodySeconds = 30 }: BodyLimits = {}): ReadJson {
  for (const [name, limit] of Object.entries({ bodyBytes, bodySeconds })) {
    check(Number.isInteger(limit) && limit > 0, `limits.${name}`, 'a whole number of at least 1', limit)
  }
  return async (context) => {
    if (Number(context.req.header('content-length')) > bodyBytes) throw tooLarge(bodyBytes)
    const kept = keptBody(context)
    if (typeof kept === 'object' && !isBytes(kept)) return kept
    const text = isBytes(kept)
      ? new TextDecoder().decode(kept)
      : (kept ?? (await readText(context, bodyBytes, bodySeconds)))
    try {
      return JSON.parse(text)
    } catch {
      const message =
        'We could not parse the JSON body of your request. (HINT: This likely means you are not using your '
      throw new RequestError(`${message}HTTP library correctly. The API expects a JSON payload.)`)
    }
  }
}

/** What `express.json()` and its like have read before, who leave it on Node's request: parsed, as text, or as bytes. */
function keptBody(context: Context): object | string | undefined {
  const { incoming } = nodeBindings(context)
  const { body } = (incoming?.readableDidRead ? incoming : {}) as { readonly body?: unknown }
  return typeof body === 'string' || (typeof body === 'object' && body !== null) ? body : undefined
}

const isBytes = (body: unknown): body is Uint8Array => body instanceof Uint8Array

const WAS_READ = 'request: expected a body that nobody has read, got one that was read: read `request.clone()` instead'

async function readText(context: Context, bodyBytes: number, bodySeconds: number): Promise<string> {
  const { raw, bodyCache } = context.req
  if (Object.keys(bodyCache).length > 0) return keptText(context, bodyBytes)
  if (raw.bodyUsed) throw new HarmonyResponsesError('bad_option', WAS_READ)
  return newText(context, bodyBytes, bodySeconds)
}

/** What a middleware has read before: Hono keeps it. */
async function keptText({ req }: Context, bodyBytes: number): Promise<string> {
  const text = await req.text().catch(() => {
    throw unreadable()
  })
  if (text.length > bodyBytes) throw tooLarge(bodyBytes)
  return text
}

/** No more of it is read than is allowed, whatever its length was said to be. */
async function newText(context: Context, bodyBytes: number, bodySeconds: number): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  const take = (chunk: Uint8Array): void => {
    bytes += chunk.byteLength
    if (bytes > bodyBytes) throw tooLarge(bodyBytes)
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  const { incoming } = nodeBindings(context)
  const body = isUnread(incoming) ? incoming : context.req.raw.body
  if (body === null) return ''
  const reading = 'getReader' in body ? readStream(body, take) : readIncoming(body, take)
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), bodySeconds * 1000)
  })
  try {
    await Promise.race([reading.done, late])
  } catch (error) {
    reading.stop()
    if (error instanceof RequestError) throw error
    throw unreadable()
  } finally {
    clearTimeout(timer)
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
