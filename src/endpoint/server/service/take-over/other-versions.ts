/** How long a response of another version waits for a process of that version, once it has none, in seconds. */
export const OTHER_VERSION_SECONDS = 600
/** The maximum number of waiting responses that are remembered. Those beyond it wait longer. */
const MAX = 1024

/**
 * Responses without a process that only another version of this library can interpret. While a deploy replaces processes of
 * one version by those of another one, both share a store.
 */
export class OtherVersions {
  readonly #clock: () => number
  /** When each was found, by their ids. */
  readonly #found = new Map<string, number>()

  /** @param clock - in seconds, and nobody sets it */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Whether a response was left to a process of another version, and still is. */
  isLeft(responseId: string): boolean {
    const found = this.#found.get(responseId)
    return found !== undefined && this.#clock() - found < OTHER_VERSION_SECONDS
  }

  /** Leaves a response of another version to it. Returns false if it has been left to it for long enough. */
  leave(responseId: string): boolean {
    if (this.#found.delete(responseId)) return false
    const [earliest] = this.#found.keys()
    if (earliest !== undefined && this.#found.size >= MAX) this.#found.delete(earliest)
    this.#found.set(responseId, this.#clock())
    return true
  }
}
