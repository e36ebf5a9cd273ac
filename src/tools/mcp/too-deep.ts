/** More than the schema of any tool has. Recursive readers, such as the SDK's, overflow the stack at some thousands. */
const MOST_LEVELS = 100

/** Whether JSON is nested more deeply than is safe to pass on. */
export function isTooDeep(value: unknown, levels: number = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inside) => isTooDeep(inside, levels - 1))
}
