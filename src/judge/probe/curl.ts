/** A request that was sent. */
export interface SentRequest {
  readonly method: 'GET' | 'POST'
  /** Without secrets. */
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
}

/** The longest body in a command line, in UTF-16 code units: shells take no more than some 100,000 bytes. */
const MAX_BODY = 20_000

/** Returns a command line that sends a request again. It only names headers, whose values may be keys. */
export function curlOf({ method, url, headers, body }: SentRequest): string {
  const named = [...headers.keys()]
    .filter((name) => name !== 'content-type' && name !== 'accept')
    .map((name) => `-H ${quoted(`${name}: ${SHOWN.has(name) ? headers.get(name) : '[hidden]'}`)}`)
  const isShort = (body ?? '').length <= MAX_BODY
  const data = isShort ? (body ?? '') : `[a body of ${body?.length} characters]`
  const bodyArguments = method === 'POST' ? ["-H 'content-type: application/json'", `-d ${quoted(data)}`] : []
  return ['curl -N', quoted(url), ...named, ...bodyArguments].join(' ')
}

/** The probe's own headers, without which the request differs. */
const SHOWN: ReadonlySet<string> = new Set(['anthropic-version'])

/** Quotes any text as a word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
