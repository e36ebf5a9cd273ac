/** The system's clock: Unix time in whole seconds. */
export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
