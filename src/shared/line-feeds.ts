/**
 * Creates a reader that turns the line ends of an event stream into line feeds. The parser of such streams searches the
 * rest of a piece for a line feed at each other end, so that its time is quadratic.
 */
export function createLineFeeds(): (piece: string) => string {
  /** Whether a line feed at the start of the next piece belongs to a line end that has been read. */
  let isAfterReturn = false
  return (piece) => {
    if (piece === '') return ''
    const rest = isAfterReturn && piece.startsWith('\n') ? piece.slice(1) : piece
    isAfterReturn = piece.endsWith('\r')
    if (!rest.includes('\r')) return rest
    // Three times as fast as replacing, if there are many.
    return rest.split('\r\n').join('\n').split('\r').join('\n')
  }
}
