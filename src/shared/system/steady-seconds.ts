/**
 * Returns the time as Unix time in seconds, with fractions, that the system's clock had at the process's start, and that has passed
 * since: setting the clock does not change it. For ages and leases that this process alone compares.
 */
export function steadySeconds(): number {
  return (performance.timeOrigin + performance.now()) / 1000
}
