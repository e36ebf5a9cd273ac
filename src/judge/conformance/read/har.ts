import { isFields } from '../../../shared/fields.js'
import { asFields, asList, asString } from '../stream-event.js'

/** A response body in a HAR file. */
export interface HarBody {
  /** The request that it answers, for messages. */
  readonly source: string
  /** The body as text, or as bytes if it was stored in base64. */
  readonly body: string | Uint8Array
}

/** Whether a value is the JSON of a HAR file. */
export function isHar(value: unknown): boolean {
  return isFields(value) && Array.isArray(asFields(value['log'])['entries'])
}

/** The event streams in a HAR file, or, if it has none, the other responses of `/responses`. */
export function bodiesOf(har: unknown): HarBody[] {
  const entries = asList(asFields(asFields(har)['log'])['entries']).map((entry, index) => {
    const { request, response } = asFields(entry)
    const { method, url } = asFields(request)
    const { mimeType, text, encoding } = asFields(asFields(response)['content'])
    const where = asString(url).replace(/[?#].*$/, '')
    return {
      source: `entry ${index + 1}, ${asString(method)} ${where}`.trimEnd(),
      isStream: /^text\/event-stream\b/i.test(asString(mimeType)),
      isResponses: /\/responses$/.test(where),
      body: encoding === 'base64' ? bytesOf(asString(text)) : asString(text),
      messages: asList(asFields(entry)['_webSocketMessages']).map(asFields),
    }
  })
  const sockets = entries.flatMap(({ source, messages }) => {
    const received = messages.filter(({ type }) => type === 'receive').map(({ data }) => asString(data))
    return received.length === 0 ? [] : [{ source: `${source}, a WebSocket`, body: received.join('\n') }]
  })
  if (sockets.length > 0) return sockets
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
