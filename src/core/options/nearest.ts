/** Returns the known word that was most likely meant; undefined if none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const letters = plain(word)
  const pairs = [...new Set([...letters].map((_, at) => letters.slice(at, at + 2)))]
  // Similar words share all but three pairs of neighbouring letters.
  return known.find(
    (name) => pairs.filter((pair) => plain(name).includes(pair)).length > Math.max(word.length, name.length) - 4,
  )
}

/** Normalizes a name, so that `input_tokens` equals `inputTokens`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '')
}
