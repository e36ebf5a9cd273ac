/** What the client is told of a failure. */
export interface Failure {
  /** As the API's, default `server_error`; a code of the host's own goes through. */
  readonly code?: string
  readonly message: string
}

/** Of an error in the host's own code: its text may hold addresses, file names or passwords. */
const NEUTRAL: Failure = { message: 'The server had an internal error.' }

/** What the host itself says of a failure: a text, or plain data with one. Of anything else, undefined. */
export function reportOf(failure: unknown): Failure | undefined {
  if (typeof failure === 'string') return { message: failure }
  return attempt(() => {
    if (failure instanceof Error) return undefined
    const { code, message } = Object(failure) as Partial<Failure>
    // An error of another realm is no `Error` here, but what it says is no field of its own for all to see.
    const isReport = typeof message === 'string' && Object.keys(failure as object).includes('message')
    return isReport ? failureWith(code, message) : undefined
  })
}

/**
 * What the client may know of an error: the code and the text of an `EngineError`, which are written for it. It is
 * known by its name, because two copies of this package may be installed.
 */
export function toldOf(error: unknown): Failure {
  const told = attempt(() => {
    const { name, code, message } = Object(error) as { [field: string]: unknown }
    const isEngines = error instanceof Error && name === 'EngineError' && typeof message === 'string'
    return isEngines ? failureWith(code, message) : undefined
  })
  return told ?? NEUTRAL
}

function failureWith(code: unknown, message: string): Failure {
  return typeof code === 'string' ? { code, message } : { message }
}

/** What was thrown may throw again when it is read. */
function attempt<Result>(read: () => Result | undefined): Result | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
