import { request } from 'node:http'
import { createParser } from 'eventsource-parser'

/**
 * Sends a request over a new connection, so that the proxy may choose another server each time.
 *
 * @param options - `onEvent` receives each event of a stream, and says whether to go on reading; `idleMs`: how long nothing may come
 * @returns `status` and `body`; undefined if the connection broke, or nothing came for too long
 */
export function ask(port, method, path, { body, headers = {}, onEvent, idleMs } = {}) {
  return new Promise((resolve) => {
    let result
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => {
        const isStream = response.headers['content-type']?.startsWith('text/event-stream')
        const chunks = []
        const parser = createParser({
          onEvent({ data }) {
            if (data === '[DONE]' || asked.destroyed) return
            if (!onEvent(JSON.parse(data))) asked.destroy()
          },
        })
        const decoder = new TextDecoder()
        response.on('data', (chunk) => {
          if (isStream) parser.feed(decoder.decode(chunk, { stream: true }))
          else chunks.push(chunk)
        })
        response.on('end', () => {
          if (!response.complete) return
          const { statusCode: status } = response
          result = { status, body: isStream ? undefined : JSON.parse(Buffer.concat(chunks).toString() || 'null') }
        })
      },
    )
    asked.on('error', () => {})
    asked.on('close', () => resolve(result))
    asked.setTimeout(idleMs, () => asked.destroy())
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
