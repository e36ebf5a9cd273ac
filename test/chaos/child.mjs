import { once } from 'node:events'

/** How long a process has to end by SIGTERM, in milliseconds: it waits for its clients for five seconds at most. */
export const STOP_MS = 30_000

/** Ends a process at once. */
export async function killed(child) {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Ends a process in order, or by SIGKILL if that takes too long. @returns its exit code and its signal */
export async function stopped(child) {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  const how = await ended
  clearTimeout(late)
  return how
}
