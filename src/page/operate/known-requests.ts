import type { AdminRequest } from '../../endpoint/server/admin/types.js'

/** How many requests the page keeps. */
const MAX_KEPT = 1000

/** Adds requests, each once. Returns the newest, newest first. */
export function addRequests(known: readonly AdminRequest[], added: readonly AdminRequest[]): readonly AdminRequest[] {
  const all = new Map([...known, ...added].map((request) => [request.number, request]))
  return [...all.values()].sort((a, b) => b.number - a.number).slice(0, MAX_KEPT)
}

/** Whether something went wrong with a request, or with the response that it began. */
export function hasFailed({ code, status, response_status }: AdminRequest): boolean {
  return code !== null || (status ?? 0) >= 400 || response_status === 'failed'
}
