import { plain } from '../terminal-text.js'
import { createLogEntries, type LogEntry, type RequestLog } from './log-entries.js'

/** The maximum number of a client's characters in a line. */
const MAX_WORDS = 200

/**
 * Creates a log for programs: one JSON object per line. Lines of one `event` have the same fields in the same order,
 * null if unknown.
 *
 * @param time - the time in UTC: `2026-01-31T12:34:56Z`
 * @param write - receives whole lines
 */
export function createJsonLog(time: () => string, write: (line: string) => void): RequestLog {
  const line = (event: string, fields: object): void => write(`${JSON.stringify({ time: time(), event, ...fields })}\n`)
  const entries = createLogEntries(
    (entry) => line('request', fieldsOf(entry)),
    ({ purpose, bytes, usedBytes, totalBytes }) =>
      line('memory_refused', { purpose, bytes, used_bytes: usedBytes, total_bytes: totalBytes }),
    ({ responseId, continues, reason }) => line('response_taken_over', { response_id: responseId, continues, reason }),
    ({ responseId, detail }) => line('engine_restarted', { response_id: responseId, detail }),
  )
  return {
    take: entries.take,
    listening: ({ version, url, engine, models, hasKey, store = null }) =>
      line('listening', { version, url: `${url}/v1`, engine: plain(engine), models, has_key: hasKey, store }),
    keysRead: (files) => line('keys_read', { files }),
    keysRefused: (reason) => line('keys_refused', { reason: plain(reason) }),
    workerStarted: (worker, pid) => line('worker_started', { worker, pid }),
    workerEnded: (worker, cause, ms) => line('worker_ended', { worker, cause, restart_ms: Math.ceil(ms) }),
  }
}

function fieldsOf(entry: LogEntry): object {
  const { request, response } = entry
  return {
    request_id: request?.requestId ?? null,
    transport: transportOf(entry),
    method: request?.method ?? null,
    route: request?.route ?? null,
    path: escaped(request?.path),
    status: request?.status ?? null,
    ms: Math.ceil((request ?? response).seconds * 1000),
    is_aborted: request?.isAborted ?? false,
    owner: escaped(request?.owner),
    code: request?.code ?? null,
    param: escaped(request?.param),
    session_id: escaped(request?.session?.id),
    agent_id: escaped(request?.session?.agent),
    parent_agent_id: escaped(request?.session?.parentAgent),
    response_id: response?.responseId ?? null,
    response_status: response?.status ?? null,
    model: escaped(response?.requestedModel),
    input_tokens: response?.inputTokens ?? null,
    cached_tokens: response?.cachedTokens ?? null,
    output_tokens: response?.outputTokens ?? null,
    reasoning_tokens: response?.reasoningTokens ?? null,
    unhosted_tools: (response?.unhostedTools ?? []).map(escaped),
  }
}

/** Returns null for a response that was taken over: its client asked another process. */
function transportOf(entry: LogEntry): string | null {
  if (entry.request !== undefined) return 'http'
  return entry.isTakenOver ? null : 'websocket'
}

/** Escapes characters that a terminal acts on: JSON escapes only some of them. */
function escaped(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : plain(text.slice(0, MAX_WORDS))
}
