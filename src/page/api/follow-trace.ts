import type { ResponseTrace } from '../../endpoint/server/service/trace/response-trace.js'
import { MAX_TRACE_TOKENS } from '../../endpoint/server/service/trace/window.js'
import { send } from './send.js'
import { untilVisible } from './visible.js'

/** The shortest wait between two readings of a response that runs, in milliseconds. */
const WAIT_MS = 1_000

/** How many times as long as a reading took the wait after it is: the server makes each anew. */
const WAIT_SHARE = 4

/** All of a trace so far: its windows in one. */
export type WholeTrace = Omit<ResponseTrace, 'last' | 'has_more'>

/** Whether nothing more comes. */
export function isOver({ status }: Pick<ResponseTrace, 'status'>): boolean {
  return status !== 'queued' && status !== 'in_progress'
}

/**
 * Reads the trace of a response, again and again until it has ended.
 *
 * @throws ApiError, or the error of the connection
 */
export async function followTrace(
  id: string,
  onTrace: (trace: WholeTrace) => void,
  signal: AbortSignal,
): Promise<void> {
  let full: readonly ResponseTrace[] = []
  let wasRunning = false
  for (;;) {
    await untilVisible(signal)
    const began = performance.now()
    const window = await readWindow(id, full.at(-1)?.last, signal)
    wasRunning ||= !isOver(window)
    if (window.has_more) {
      full = [...full, window]
      continue
    }
    onTrace(joined(full, window))
    if (!isOver(window)) {
      const took = performance.now() - began
      await new Promise((resolve) => setTimeout(resolve, Math.max(WAIT_MS, WAIT_SHARE * took)))
    } else if (wasRunning && full.length > 0) {
      // Messages that were hidden while the server did not know what they become may be shown by now.
      full = []
      wasRunning = false
    } else return
  }
}

async function readWindow(id: string, after: number | undefined, signal: AbortSignal): Promise<ResponseTrace> {
  const from = after === undefined ? '' : `&after=${after}`
  const path = `v1/responses/${encodeURIComponent(id)}/trace?limit=${MAX_TRACE_TOKENS}${from}`
  return (await send(path, { signal })).json()
}

function joined(full: readonly ResponseTrace[], last: ResponseTrace): WholeTrace {
  const { object, response_id, status, tokens } = last
  const { prompt } = full[0] ?? last
  const data = [...full, last].flatMap((window) => window.data)
  return { object, response_id, status, tokens, ...(prompt && { prompt }), data }
}
