/** Returns the system's clock: Unix time in whole seconds. */
export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/**
 * Returns the date of a time as the prompt states it: `YYYY-MM-DD`, in UTC.
 *
 * @param seconds - Unix time
 */
export function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}
