/** An error of a database, without its address's credentials and without content. */
class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** The database's own code, or that of the connection's error. */
  readonly code: string | undefined
  constructor(message: string, code: string | undefined) {
    super(message)
    this.code = code
  }
}

/** Says what failed, and where. @param shown - the address, without credentials */
export function databaseError(error: unknown, shown: string, timeoutSeconds: number): Error {
  // Of all addresses of a host, the first.
  const [first = error] = (Object(error) as { readonly errors?: readonly unknown[] }).errors ?? []
  const { message, code } = Object(first) as { readonly message?: unknown; readonly code?: unknown }
  const isLate = /timeout/i.test(String(message)) && code === undefined
  const problem = isLate ? `no answer within ${timeoutSeconds} s` : String(message)
  return new DatabaseError(`the database ${shown}: ${problem}`, typeof code === 'string' ? code : undefined)
}
