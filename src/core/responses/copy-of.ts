/**
 * Returns a detached copy of plain JSON data and dates. `structuredClone` serializes everything to bytes and back: for
 * an empty list, which every message has several times, it takes fifty times as long.
 */
export function copyOf<Data>(data: Data): Data {
  if (typeof data !== 'object' || data === null) return data
  if (data instanceof Date) return structuredClone(data)
  // Spread first, which copies `__proto__` as an ordinary field: an assignment would set the prototype.
  const copy = (Array.isArray(data) ? [...data] : { ...data }) as Data
  for (const field of Object.keys(copy as object) as (keyof Data)[]) {
    const value = copy[field]
    if (typeof value === 'object' && value !== null) copy[field] = copyOf(value)
  }
  return copy
}
