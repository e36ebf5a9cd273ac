import { fieldsOf, isFields, listOf, textOf } from '../stream-event.js'

/** The body of an answer that a HAR file holds. */
export interface HarBody {
  /** Which request it answers, in words. */
  readonly source: string
  /** Text, or its bytes. */
  readonly body: string | Uint8Array
}

/** Whether a value is a HAR file, as browsers and proxies save them. */
export function isHar(value: unknown): boolean {
  return isFields(value) && Array.isArray(fieldsOf(value['log'])['entries'])
}

/** The event streams in a HAR file; where it has none, the other answers of `/responses`. */
export function bodiesOf(har: unknown): HarBody[] {
  const entries = listOf(fieldsOf(fieldsOf(har)['log'])['entries']).map((entry, index) => {
    const { request, response } = fieldsOf(entry)
    const { method, url } = fieldsOf(request)
    const { mimeType, text, encoding } = fieldsOf(fieldsOf(response)['content'])
    const where = textOf(url).replace(/[?#].*$/, '')
    return {
      source: `entry ${index + 1}, ${textOf(method)} ${where}`.trimEnd(),
      isStream: /^text\/event-stream\b/i.test(textOf(mimeType)),
      isResponses: /\/responses$/.test(where),
      body: encoding === 'base64' ? bytesOf(textOf(text)) : textOf(text),
    }
  })
  const full = entries.filter(({ body }) => body.length > 0)
  const streams = full.filter(({ isStream }) => isStream)
  return (streams.length > 0 ? streams : full.filter(({ isResponses }) => isResponses)).map(({ source, body }) => ({
    source,
    body,
  }))
}

function bytesOf(base64: string): string | Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return base64
  }
}
