/** Returns the rejections that nothing handles during some work. Any of them would end a server. */
export async function rejectionsOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const reasons: unknown[] = []
  const take = (reason: unknown): void => void reasons.push(reason)
  process.on('unhandledRejection', take)
  try {
    await work()
    // Node tells them after the turn in which they happened.
    await new Promise((resolve) => setImmediate(resolve))
    return reasons
  } finally {
    process.off('unhandledRejection', take)
  }
}
