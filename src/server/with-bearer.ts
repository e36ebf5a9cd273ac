/**
 * The request with the key of a Messages client where `authorize` looks for it: those send it as `x-api-key`. A key in
 * `authorization` goes first.
 */
export function withBearer(request: Request): Request {
  const key = request.headers.get('x-api-key')
  if (key === null || request.headers.has('authorization')) return request
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${key}`)
  // The body of this request stays unread.
  return new Request(request.url, { method: request.method, headers, signal: request.signal })
}
