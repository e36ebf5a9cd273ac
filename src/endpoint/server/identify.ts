import { RequestError } from '../../shared/request-error.js'
import type { Authorize } from './authorize.js'
import type { ResponsesAppOptions } from './options.js'
import { ANONYMOUS } from './service/caller.js'

/** Returns who sends a request. @throws RequestError if it is refused */
export type Identify = (request: Request) => Promise<string>

/** Identifies the owner of what a request makes or asks for: 401 without one. */
export function ownerBy({ authorize }: Pick<ResponsesAppOptions, 'authorize'>): Identify {
  if (authorize === undefined) return async () => ANONYMOUS
  return async (request) => {
    const owner = await nameBy(authorize, request)
    if (owner === undefined) throw unauthorized()
    return owner
  }
}

/** Identifies the operator: 403 for a client, whom `authorize` knows, and 401 for all others. */
export function operatorBy({
  authorize,
  authorizeOperator,
}: Pick<ResponsesAppOptions, 'authorize' | 'authorizeOperator'>): Identify {
  return async (request) => {
    const operator = authorizeOperator && (await nameBy(authorizeOperator, request))
    if (operator !== undefined) return operator
    const owner = authorize && (await nameBy(authorize, request))
    if (owner === undefined || owner === ANONYMOUS) throw unauthorized()
    throw operatorKeyRequired("Only the operator's key opens this page, not a client's.")
  }
}

/** Identifies the operator: 403 for all others, and a sentence that names the key. */
export function adminBy({ authorizeOperator }: Pick<ResponsesAppOptions, 'authorizeOperator'>): Identify {
  return async (request) => {
    const operator = authorizeOperator && (await nameBy(authorizeOperator, request))
    if (operator !== undefined) return operator
    const ways = 'serve: HARMONY_RESPONSES_OPERATOR_KEY; authorizeOperator of the app'
    throw operatorKeyRequired(`Only the operator's key opens this (${ways}).`)
  }
}

async function nameBy(authorize: Authorize, request: Request): Promise<string | undefined> {
  const name: unknown = await authorize(withBearer(request))
  // `null` and `false` also refuse the request.
  return typeof name === 'string' && name !== '' ? name : undefined
}

export function unauthorized(): RequestError {
  return new RequestError('Incorrect API key provided.', { status: 401, code: 'invalid_api_key' })
}

function operatorKeyRequired(message: string): RequestError {
  return new RequestError(message, { status: 403, code: 'operator_key_required' })
}

/**
 * Copies the key of a Messages client, sent as `x-api-key`, to where `authorize` looks for it. A key in `authorization`
 * takes precedence.
 */
function withBearer(request: Request): Request {
  const key = request.headers.get('x-api-key')
  if (key === null || request.headers.has('authorization')) return request
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${key}`)
  // The body of this request stays unread.
  return new Request(request.url, { method: request.method, headers, signal: request.signal })
}
