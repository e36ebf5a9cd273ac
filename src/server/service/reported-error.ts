/** What stopped a response. The host has been told why, where it happened. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError'
}
