import { untilVisible } from '../api/visible.js'

/** Asks again and again, so many seconds after each answer, while the tab is seen and until the signal aborts. */
export async function keepAsking(ask: () => Promise<void>, seconds: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await untilVisible(signal)
    if (signal.aborted) return
    await ask()
    await passed(seconds, signal)
  }
}

function passed(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, seconds * 1000)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
