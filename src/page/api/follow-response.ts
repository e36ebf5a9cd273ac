import { decodeSse } from '../../core/sse/decode.js'
import { ApiError, send } from './send.js'
import { untilVisible } from './visible.js'

/** An event of a stream. Its other fields depend on its type. */
export interface StreamEvent {
  readonly type: string
  readonly sequence_number?: number
  readonly [field: string]: unknown
}

/** A response that is asked for, or one that exists. */
export interface Followed {
  /** The body of the request. */
  readonly body: object
  /** Makes the server answer the same request once, however often it is sent. */
  readonly idempotencyKey: string
  /** The response's id, once it is known. */
  readonly id?: string | undefined
}

/** How often a stream that breaks off is opened again in a row, and the wait before each, in milliseconds. */
const WAITS: readonly number[] = [250, 1_000, 2_000, 4_000, 8_000]

const TERMINAL = /^response\.(?:completed|incomplete|failed)$/

/**
 * Reads the events of a response up to its last one. It reads nothing while the tab is hidden, because a browser has few
 * connections to one server, and opens what breaks off again after the last event that it has.
 *
 * @throws ApiError, or the last error of the connection
 */
export async function followResponse(
  followed: Followed,
  onEvent: (event: StreamEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let { id } = followed
  let last = -1
  let failures = 0
  for (;;) {
    await untilVisible(signal)
    const reading = new AbortController()
    const leave = (): void => {
      if (document.hidden) reading.abort()
    }
    document.addEventListener('visibilitychange', leave)
    try {
      const response = await open(id, last, followed, AbortSignal.any([signal, reading.signal]))
      for await (const each of decodeSse(response.body ?? '')) {
        // biome-ignore lint/plugin: whatever the stream has, its fields are read by name
        const event = each as unknown as StreamEvent
        // A request that is sent again begins with the first event.
        if ((event.sequence_number ?? last + 1) <= last) continue
        last = event.sequence_number ?? last + 1
        failures = 0
        id ??= (event['response'] as { readonly id?: string } | undefined)?.id
        onEvent(event)
        if (TERMINAL.test(event.type)) return
      }
      throw new TypeError('The stream ended before the response.')
    } catch (error) {
      if (signal.aborted) throw error
      if (reading.signal.aborted) continue
      const wait = WAITS[failures]
      if (wait === undefined || (error instanceof ApiError && !isPassing(error))) throw error
      failures += 1
      await new Promise((resolve) => setTimeout(resolve, wait))
    } finally {
      document.removeEventListener('visibilitychange', leave)
    }
  }
}

function open(id: string | undefined, last: number, followed: Followed, signal: AbortSignal): Promise<Response> {
  if (id !== undefined) {
    const after = last < 0 ? '' : `&starting_after=${last}`
    return send(`v1/responses/${encodeURIComponent(id)}?stream=true${after}`, { signal })
  }
  const headers = { 'idempotency-key': followed.idempotencyKey }
  return send('v1/responses', { method: 'POST', body: followed.body, headers, signal })
}

function isPassing({ status }: ApiError): boolean {
  return status === 502 || status === 503 || status === 504
}
