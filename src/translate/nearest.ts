/** The known word that was most likely meant by another one; undefined where none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // All but some three letters in the middle are the same, from the beginning and from the end.
  const isNear = (name: string): boolean =>
    commonLength(plain(word), plain(name)) > Math.max(word.length, name.length) - 4
  return known.find(isNear)
}

/** `input_tokens` is another spelling of `inputTokens`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '')
}

/** How many letters two words have in common at their beginning and at their end. */
function commonLength(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let begin = 0
  let end = 0
  while (begin < shorter && one[begin] === other[begin]) begin++
  while (end < shorter - begin && one.at(-1 - end) === other.at(-1 - end)) end++
  return begin + end
}
