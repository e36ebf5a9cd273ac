/** Returns the first lines of Node's warnings of too many listeners during some work. */
export async function listenerWarnings(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = []
  const take = (warning: Error): void => {
    if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning.message)
  }
  process.on('warning', take)
  try {
    await work()
    // Node emits a warning after the work that caused it.
    await new Promise((resolve) => setImmediate(resolve))
    return warnings
  } finally {
    process.off('warning', take)
  }
}
