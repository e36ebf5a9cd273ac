/** A failure as it is sent to the client. */
export interface Failure {
  /** One of the API's codes (default `server_error`) or one of the host's own, which is passed through. */
  readonly code?: string
  readonly message: string
}

/** Sent for errors in the host's own code, whose text may contain addresses, file names or passwords. */
const NEUTRAL: Failure = { message: 'The server had an internal error.' }

/** The failure if the host wrote it for the client: a string or a plain object with a message. Else undefined. */
export function hostFailure(failure: unknown): Failure | undefined {
  if (typeof failure === 'string') return { message: failure }
  // An Error of another realm fails `instanceof`, but its `message` is not enumerable.
  return readFailure(failure, (given) => !(given instanceof Error) && Object.keys(given).includes('message'))
}

/**
 * What the client may see of an error: the code and the text of an `EngineError`, which are written for it. Matched by
 * name, because two copies of this package may be installed.
 */
export function clientFailure(error: unknown): Failure {
  return readFailure(error, (given) => given instanceof Error && given.name === 'EngineError') ?? NEUTRAL
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
