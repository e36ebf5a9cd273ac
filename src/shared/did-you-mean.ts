/** The maximum edits between a misspelled word and the one that was meant. */
const MAX_EDITS = 2

/**
 * Suggests the known word that a misspelled one most likely stands for, as the end of an error message.
 *
 * @returns `, did you mean concurrency?`; an empty text if no word is near, so that the message gives no bad advice
 */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  const plain = normalized(word)
  const ranked = known
    .map((name) => ({ name, edits: edits(plain, normalized(name)) }))
    .filter(({ name, edits }) => edits <= Math.min(MAX_EDITS, Math.floor(name.length / 3)))
    .toSorted((a, b) => a.edits - b.edits)
  const [nearest] = ranked
  return nearest === undefined ? '' : `, did you mean ${prefix}${nearest.name}?`
}

/** Case, hyphens and underscores are the most common differences: `apikey`, `apiKey`, `api-key`. */
function normalized(word: string): string {
  return word.slice(0, 100).toLowerCase().replaceAll(/[-_]/g, '')
}

/**
 * Returns how many letters have to be added, removed, replaced, or swapped with their neighbour (restricted
 * Damerau-Levenshtein).
 */
function edits(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const next = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      next[column] = Math.min(
        (last[column] as number) + 1,
        (next[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = next
  }
  return last[to.length] as number
}
