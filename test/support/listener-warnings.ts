/** Node's warnings of too many listeners that a piece of work gives, in the words of the first line. */
export async function listenerWarnings(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = []
  const take = (warning: Error): void => {
    if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning.message)
  }
  process.on('warning', take)
  try {
    await work()
    // Node emits a warning after what gave it.
    await new Promise((resolve) => setImmediate(resolve))
    return warnings
  } finally {
    process.off('warning', take)
  }
}
