// How long an event loop does not turn, in processor time, which is independent of the machine's load.
import { threadClock } from './thread-time.mjs'

/**
 * Watches the turns of this process: the most processor time between two beats of a timer.
 *
 * @returns the longest since the last call, in milliseconds: of all threads, and of this one, without those of stores and V8
 */
export async function watchTurns() {
  const threadTime = await threadClock()
  let [ofProcess, ofThread] = [0, 0]
  let before = process.cpuUsage()
  let beforeOfThread = threadTime()
  setInterval(() => {
    ofThread = Math.max(ofThread, threadTime() - beforeOfThread)
    beforeOfThread = threadTime()
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    ofProcess = Math.max(ofProcess, (user + system) / 1000)
  }, 2)
  return {
    longestOfProcess() {
      const longest = ofProcess
      ofProcess = 0
      return longest
    },
    longestOfThread() {
      const longest = ofThread
      ofThread = 0
      return longest
    },
  }
}
