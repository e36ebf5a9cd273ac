let isReading = false
/** Work for the end of the reads, in order. */
const waiting: (() => void)[] = []

/** Handles what a socket has: its effects on other sockets may wait for the other reads of the same poll for I/O. */
export function reading(handle: () => void): void {
  isReading = true
  try {
    handle()
  } finally {
    isReading = false
  }
}

/**
 * Does work that a read has caused once all sockets that the event loop found ready are read, before it waits for others:
 * hundreds of reads, and then hundreds of writes, take less time than reads and writes in turns.
 *
 * @returns whether the work waits; false if no read has caused it
 */
export function afterReads(work: () => void): boolean {
  if (!isReading) return false
  if (waiting.length === 0) setImmediate(doAll)
  waiting.push(work)
  return true
}

function doAll(): void {
  try {
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) work()
  } finally {
    // One stream whose write throws ends no other.
    if (waiting.length > 0) setImmediate(doAll)
  }
}
