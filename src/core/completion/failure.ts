import type { Response } from '../responses/response.js'

/** A failure as the client receives it. */
export interface Failure {
  /** One of the API's codes (default `server_error`) or one of the host's own, which is passed through. */
  readonly code?: string
  /** The text that the client receives: it must name no address, file or key. */
  readonly message: string
}

/** Stands in for errors whose text was not written for clients: it may contain addresses, file names or passwords. */
export const NEUTRAL: Failure = { message: 'The server had an internal error.' }

/** The host gave up. */
export const ABORTED: Failure = { message: 'aborted' }

/** Stands in for the error that a cancelled response lacks, where an API has no other ending for it. */
export const CANCELLED: Failure = { message: 'The response was cancelled.' }

/** Returns why a response has no answer: it failed or was cancelled. */
export function failureIn({
  error,
  status,
}: Pick<Response, 'error'> & Partial<Pick<Response, 'status'>>): Required<Failure> {
  return { code: 'server_error', ...(error ?? (status === 'cancelled' ? CANCELLED : NEUTRAL)) }
}

/**
 * Returns the failure if the host wrote it for the client: a string, or an object with a message and at most a code.
 * Undefined otherwise: plain objects that libraries throw have other fields, and their text is not meant for clients.
 * (An Error of another realm fails `instanceof`, but its `message` is not enumerable.)
 */
export function hostFailure(failure: unknown): Failure | undefined {
  if (typeof failure === 'string') return { message: failure }
  return readFailure(failure, (given) => !(given instanceof Error) && isFailure(Object.keys(given)))
}

function isFailure(fields: readonly string[]): boolean {
  return fields.includes('message') && fields.every((field) => field === 'message' || field === 'code')
}

/**
 * Returns the part of an error that the client may see: the code and the text of an `EngineError` about the request.
 * The text of a `server_error` is for the host, because it often names the engine's address. Matched by name, because
 * two copies of this package may be installed.
 */
export function clientFailure(error: unknown): Failure {
  return readFailure(error, (given) => given instanceof Error && isAboutRequest(given)) ?? NEUTRAL
}

function isAboutRequest({ name, code }: Error & { code?: unknown }): boolean {
  return name === 'EngineError' && code !== 'server_error'
}

/** Reads `code` and `message`. Their getters may throw. */
function readFailure(failure: unknown, isReadable: (failure: object) => boolean): Failure | undefined {
  try {
    const { code, message } = failure as { code: unknown; message: unknown }
    if (typeof message !== 'string' || !isReadable(failure as object)) return undefined
    return typeof code === 'string' ? { code, message } : { message }
  } catch {
    return undefined
  }
}
