/**
 * Returns the names that an unknown one most likely means, for an error message: those that share most words with it.
 */
export function nearShapes(unknown: unknown, names: readonly string[]): string {
  const words =
    String(unknown)
      .toLowerCase()
      .match(/[a-z]{3,}/g) ?? []
  const shared = (name: string): number =>
    words.filter((word) => name.split('-').some((own) => own.startsWith(word.slice(0, 4)))).length
  const most = Math.max(...names.map(shared))
  const near = most === 0 ? [] : names.filter((name) => shared(name) === most).slice(0, 5)
  return near.length === 0 ? 'a name out of MALFORMED_SHAPES' : near.join(' or ')
}
