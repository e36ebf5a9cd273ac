import { saved } from './saved.js'

/** The address under which this page is: that of the server, or a prefix of a proxy. It ends in a slash. */
export const BASE: string = new URL('./', location.href).href

/** A refusal of the server, in its words. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string | undefined

  constructor(message: string, status: number, code: string | undefined) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** The name under which this tab keeps the key that is sent, if it has one. Default: that of its user's key. */
  readonly keyName?: string
}

/** Whether a text can be a key: anything else cannot be sent in a header. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

/**
 * Sends a request to the server of this page, with a key of this tab.
 *
 * @throws ApiError if it is refused; TypeError if nothing answers
 */
export async function send(path: string, given: Sent = {}): Promise<Response> {
  const { method = 'GET', body, headers, signal, keyName = 'key' } = given
  const key = saved(keyName)
  const response = await fetch(new URL(path, BASE), {
    method,
    headers: {
      ...(typeof key === 'string' && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    cache: 'no-store',
  })
  if (!response.ok) throw await refusalOf(response)
  return response
}

async function refusalOf(response: Response): Promise<ApiError> {
  const text = await response.text()
  const fallback = `The server answered with status ${response.status}.`
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown; readonly code?: unknown } }
    const message = typeof error?.message === 'string' ? error.message : fallback
    return new ApiError(message, response.status, typeof error?.code === 'string' ? error.code : undefined)
  } catch {
    // A proxy's own page.
    return new ApiError(fallback, response.status, undefined)
  }
}

/** Says what went wrong, for the user. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  if (error instanceof TypeError) return 'The server does not answer.'
  return error instanceof Error ? error.message : String(error)
}
