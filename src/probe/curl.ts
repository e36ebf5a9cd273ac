/** A request that was sent. */
export interface SentRequest {
  readonly method: 'GET' | 'POST'
  /** Without secrets. */
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
}

/** The longest body in a command line, in UTF-16 code units: shells take no more than some 100,000 bytes. */
const LONGEST_BODY = 20_000

/** A command line that sends a request again. The values of headers may be keys: it names them alone. */
export function curlOf({ method, url, headers, body }: SentRequest): string {
  const named = [...headers.keys()]
    .filter((name) => name !== 'content-type' && name !== 'accept')
    .map((name) => `-H ${quoted(`${name}: ${SHOWN.has(name) ? headers.get(name) : '[hidden]'}`)}`)
  const isShort = (body ?? '').length <= LONGEST_BODY
  const data = isShort ? (body ?? '') : `[a body of ${body?.length} characters]`
  const sent = method === 'POST' ? ["-H 'content-type: application/json'", `-d ${quoted(data)}`] : []
  return ['curl -N', quoted(url), ...named, ...sent].join(' ')
}

/** Headers of the probe's own, without which the request is another one. */
const SHOWN: ReadonlySet<string> = new Set(['anthropic-version'])

/** A word for a shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
