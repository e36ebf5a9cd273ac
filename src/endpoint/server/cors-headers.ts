/**
 * Returns CORS headers for allowed origins. Not Hono's `cors()`, which only writes to `context.res`, so that streams on
 * Node's own response bypass it, answers a preflight before the host is checked, and echoes all requested header names.
 */
export function corsHeaders(request: Headers, origins: readonly string[]): Record<string, string> {
  if (origins.length === 0) return {}
  // Prevents caches from giving one site's answer to another.
  const vary = { vary: 'origin' }
  const origin = request.get('origin')
  if (origin === null || !origins.includes(origin)) return vary
  return {
    ...vary,
    'access-control-allow-origin': origin,
    'access-control-allow-headers': allowedHeaders(request.get('access-control-request-headers') ?? ''),
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
    'access-control-expose-headers': 'x-request-id, request-id, retry-after, accept-encoding',
    'access-control-max-age': '600',
  }
}

/** Allows the headers of every client, and all requested ones: the official SDK sends headers of its own. */
function allowedHeaders(requestedHeaders: string): string {
  const names = requestedHeaders.toLowerCase().split(',', 100)
  return [
    ...new Set([...HEADERS, ...names.map((name) => name.trim()).filter((name) => /^[a-z\d-]{1,100}$/.test(name))]),
  ].join(', ')
}

const HEADERS = ['authorization', 'content-type', 'content-encoding', 'idempotency-key']
