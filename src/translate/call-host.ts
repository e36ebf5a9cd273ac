/**
 * Calls an observing callback of the host's without letting it break the stream. The caller gets what it throws, to
 * report it elsewhere. Rejections are ignored, because an unhandled one would end the process.
 *
 * @returns a list with the thrown error; empty if there was none
 */
export function callHost<Argument>(
  callback: ((argument: Argument) => unknown) | undefined,
  argument: Argument,
): unknown[] {
  try {
    const answer = callback?.(argument) as { then?: unknown } | null | undefined
    if (typeof answer?.then === 'function') answer.then(undefined, () => {})
    return []
  } catch (error) {
    return [error]
  }
}
