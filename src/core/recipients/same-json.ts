/** Whether two JSON values are equal, in any order of their fields. Takes any depth. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair
    if (a === b) continue
    if (Object(a) !== a || Object(b) !== b || Array.isArray(a) !== Array.isArray(b)) return false
    const names = Object.keys(a as object)
    if (names.length !== Object.keys(b as object).length) return false
    for (const name of names) {
      if (!Object.hasOwn(b as object, name)) return false
      pairs.push([(a as { [name: string]: unknown })[name], (b as { [name: string]: unknown })[name]])
    }
  }
  return true
}
