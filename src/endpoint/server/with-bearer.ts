/**
 * Copies the key of a Messages client, sent as `x-api-key`, to where `authorize` looks for it. A key in `authorization`
 * takes precedence.
 */
export function withBearer(request: Request): Request {
  const key = request.headers.get('x-api-key')
  if (key === null || request.headers.has('authorization')) return request
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${key}`)
  // The body of this request stays unread.
  return new Request(request.url, { method: request.method, headers, signal: request.signal })
}
