/**
 * Creates a lookup of a token's text by its id. It returns undefined if the token has no bytes, or none that are valid
 * UTF-8 on their own. Keeps a byte order mark.
 *
 * @param size - the number of tokens
 */
export function createTextLookup(size: number, bytes: (id: number) => Uint8Array): (id: number) => string | undefined {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  // Filled lazily, because a stream uses few tokens. Null marks a token that is not valid UTF-8 on its own.
  const texts = new Array<string | null | undefined>(size)

  function decode(token: Uint8Array): string | null {
    try {
      return utf8.decode(token)
    } catch {
      return null
    }
  }

  return (id) => {
    const known = texts[id]
    if (known !== undefined) return known ?? undefined
    const token = bytes(id)
    if (token.length === 0) return undefined
    const decoded = decode(token)
    texts[id] = decoded
    return decoded ?? undefined
  }
}
