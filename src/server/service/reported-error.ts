/** What stopped a response. It was reported to the host where it happened. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError'
}
