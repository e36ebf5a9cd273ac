/** What the client is told of a failure. */
export interface Failure {
  /** As the API's, default `server_error`; a code of the host's own goes through. */
  readonly code?: string
  readonly message: string
}

/** Of an error in the host's own code: its text may hold addresses, file names or passwords. */
const NEUTRAL: Failure = { message: 'The server had an internal error.' }

/** What the host itself says of a failure: a text, or plain data with one. Of anything else, undefined. */
export function hostFailure(failure: unknown): Failure | undefined {
  if (typeof failure === 'string') return { message: failure }
  // An error of another realm is no `Error` here, but its message is no field for all to see.
  return readFailure(failure, (given) => !(given instanceof Error) && Object.keys(given).includes('message'))
}

/**
 * What the client may know of an error: the code and the text of an `EngineError`, which are written for it. It is
 * known by its name, because two copies of this package may be installed.
 */
export function clientFailure(error: unknown): Failure {
  return readFailure(error, (given) => given instanceof Error && given.name === 'EngineError') ?? NEUTRAL
}

/** What was thrown may throw again when it is read. */
function readFailure(failure: unknown, isReadable: (failure: object) => boolean): Failure | undefined {
  try {
    const { code, message } = failure as { code: unknown; message: unknown }
    if (typeof message !== 'string' || !isReadable(failure as object)) return undefined
    return typeof code === 'string' ? { code, message } : { message }
  } catch {
    return undefined
  }
}
