import { setTimeout as pause } from 'node:timers/promises'
import type { Followers } from './followers.js'

/** Wakes followers after appends of other processes, over one connection, which it opens again after it was lost. */
export interface Listener {
  /** Whether anyone follows. */
  watch(isOn: boolean): void
  close(): Promise<void>
}

/** A connection that is told of changes. */
export interface Listening {
  /** Resolves when it was lost. */
  readonly ended: Promise<unknown>
  /** Returns the state of each of these responses that is there: another one after each append. */
  statesOf(responseIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  end(): Promise<void>
}

/** How long to wait before it connects again, in milliseconds. */
const RECONNECT_MS = 250
/** How often it looks without a notification: one may be lost, as behind a pooler. */
const LOOK_MS = 1000

/**
 * A notification says that something changed, not what: one query then finds the responses that have more entries.
 *
 * @param listen - opens a connection. It is given what to call when it is notified
 * @param followers - called late: a listener is made for them
 */
export function createListener(
  listen: (notified: () => void) => Promise<Listening>,
  followers: () => Followers,
): Listener {
  const closing = new AbortController()
  let current: Listening | undefined
  let listening: Promise<void> | undefined
  let looking: NodeJS.Timeout | undefined
  /** The state in which each followed response was last seen. */
  let seen = new Map<string, string>()
  let isLooking = false
  let isMissed = false

  async function look(): Promise<void> {
    if (isLooking) {
      isMissed = true
      return
    }
    isLooking = true
    try {
      do {
        isMissed = false
        await lookOnce()
      } while (isMissed)
    } catch {
      // The connection is of no use any more: another one is opened.
      void current?.end().catch(() => {})
    } finally {
      isLooking = false
    }
  }

  async function lookOnce(): Promise<void> {
    const ids = followers().ids()
    if (current === undefined || ids.length === 0) return
    const found = await current.statesOf(ids)
    const changed = ids.filter((id) => seen.get(id) !== (found.get(id) ?? 'gone'))
    seen = new Map(ids.map((id) => [id, found.get(id) ?? 'gone']))
    followers().wake(changed)
  }

  async function stayConnected(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        const opened = await listen(() => void look())
        current = opened
        if (closing.signal.aborted) await opened.end()
        // What was appended meanwhile has notified nobody.
        seen = new Map()
        void look()
        await opened.ended
      } catch {
        // Tried again: until then, who follows waits.
      }
      current = undefined
      await pause(RECONNECT_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  return {
    watch(isOn) {
      clearInterval(looking)
      if (!isOn || closing.signal.aborted) return
      looking = setInterval(() => void look(), LOOK_MS)
      looking.unref()
      listening ??= stayConnected()
    },
    async close() {
      clearInterval(looking)
      closing.abort()
      await current?.end().catch(() => {})
      await listening
    },
  }
}
