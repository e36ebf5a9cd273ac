import { vi } from 'vitest'

/** Runs something, and counts the characters that `indexOf` searches in it. */
export function searched(run: () => void): number {
  const { indexOf } = String.prototype
  let count = 0
  const spy = vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, text, from = 0) {
    const at = indexOf.call(this, text, from)
    count += (at === -1 ? this.length : at + 1) - from
    return at
  })
  try {
    run()
  } finally {
    spy.mockRestore()
  }
  return count
}
