/**
 * Which text a token's bytes are, by its id; `undefined` where they are not UTF-8 on their own, and where there are
 * none. A byte order mark is kept.
 *
 * @param size - how many tokens there are
 */
export function createTextLookup(size: number, bytes: (id: number) => Uint8Array): (id: number) => string | undefined {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  // Filled as tokens are asked for, because a stream uses few of them; null is a token that is not UTF-8 on its own.
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
