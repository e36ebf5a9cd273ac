/**
 * Calls a callback of the host's that only observes. Whatever it throws is not the stream's business: the caller gets it
 * back, to tell somebody else. A rejected promise would end the process, so it is taken as told.
 *
 * @returns what went wrong, in a list of one; an empty list where nothing did
 */
export function callHost<Argument>(callback: ((told: Argument) => unknown) | undefined, told: Argument): unknown[] {
  try {
    const answer = callback?.(told) as { then?: unknown } | null | undefined
    if (typeof answer?.then === 'function') answer.then(undefined, () => {})
    return []
  } catch (error) {
    return [error]
  }
}
