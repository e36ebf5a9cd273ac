/**
 * Calls an observing callback of the host without letting it break the stream. Rejections are ignored, because an
 * unhandled one would end the process.
 *
 * @param onError - receives the callback's error
 */
export function callSafely<Argument>(
  callback: ((argument: Argument) => unknown) | undefined,
  argument: Argument,
  onError?: (error: unknown) => unknown,
): void {
  try {
    const answer = callback?.(argument) as { then?: unknown } | null | undefined
    if (typeof answer?.then === 'function') answer.then(undefined, () => {})
  } catch (error) {
    if (onError !== undefined) callSafely(onError, error)
  }
}
