/** Starts an interval that does not keep the process alive. */
export function idleInterval(run: () => void, ms: number): ReturnType<typeof setInterval> {
  const timer = setInterval(run, ms)
  const { unref } = timer as { unref?: () => void }
  unref?.call(timer)
  return timer
}
