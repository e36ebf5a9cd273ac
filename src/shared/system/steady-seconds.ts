/**
 * Returns the Unix time in seconds, with fractions, counted from the system's clock at the start of the process: setting
 * the clock later does not change it. For ages and leases that this process alone compares.
 */
export function steadySeconds(): number {
  return (performance.timeOrigin + performance.now()) / 1000
}
