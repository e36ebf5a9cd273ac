/** The known word that was most likely meant; undefined if none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // Similar words share their beginning and end and differ in at most three letters between.
  const isNear = (name: string): boolean =>
    commonLength(plain(word), plain(name)) > Math.max(word.length, name.length) - 4
  return known.find(isNear)
}

/** Makes `input_tokens` equal to `inputTokens`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '')
}

/** How many letters two words share at the beginning and at the end. */
function commonLength(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let begin = 0
  let end = 0
  while (begin < shorter && one[begin] === other[begin]) begin++
  while (end < shorter - begin && one.at(-1 - end) === other.at(-1 - end)) end++
  return begin + end
}
