import { check } from '../errors.js'
import { RequestError } from '../request-error.js'

export interface BodyLimits {
  /** Of a request's body. Default 33,554,432: 32 MiB. */
  readonly bodyBytes?: number
  /** How long a body may take to come, in seconds. Default 30. */
  readonly bodySeconds?: number
}

export type ReadJson = (request: Request) => Promise<unknown>

/** @throws HarmonyResponsesError `bad_option` */
export function createJsonReader({ bodyBytes = 33_554_432, bodySeconds = 30 }: BodyLimits = {}): ReadJson {
  for (const [name, limit] of Object.entries({ bodyBytes, bodySeconds })) {
    check(Number.isInteger(limit) && limit > 0, `limits.${name}`, 'a whole number of at least 1', limit)
  }
  return async (request) => {
    if (Number(request.headers.get('content-length')) > bodyBytes) throw tooLarge(bodyBytes)
    const text = await readText(request, bodyBytes, bodySeconds)
    try {
      return JSON.parse(text)
    } catch {
      const message =
        'We could not parse the JSON body of your request. (HINT: This likely means you are not using your '
      throw new RequestError(`${message}HTTP library correctly. The API expects a JSON payload.)`)
    }
  }
}

/** No more of it is read than is allowed, whatever its length was said to be. */
async function readText({ body }: Request, bodyBytes: number, bodySeconds: number): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {})
  }, bodySeconds * 1000)
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      bytes += step.value.byteLength
      if (bytes > bodyBytes) throw tooLarge(bodyBytes)
      parts.push(decoder.decode(step.value, { stream: true }))
    }
  } catch (error) {
    reader.cancel().catch(() => {})
    if (error instanceof RequestError) throw error
    throw new RequestError('The body of the request could not be read to its end.')
  } finally {
    clearTimeout(timer)
  }
  if (isLate) throw new RequestError('The body of the request did not come in time.', { status: 408 })
  return parts.join('') + decoder.decode()
}

function tooLarge(bytes: number): RequestError {
  return new RequestError(`The body of the request is larger than ${bytes} bytes.`, {
    status: 413,
    code: 'request_too_large',
  })
}
