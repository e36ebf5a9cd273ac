/** The error that stopped a response, and that was reported to the host where it occurred. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError'
}
