import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Followers } from '../database/followers.js'
import { marked, unmarked } from '../database/marked-text.js'

/** Wakes followers after appends of other processes, over one connection, which it opens again after it was lost. */
export interface Listener {
  /** Whether anyone follows. */
  watch(isOn: boolean): void
  close(): Promise<void>
}

/** How long to wait before it connects again, in milliseconds. */
const RECONNECT_MS = 250
/** How often it looks without a notification: one may be lost, as behind a pooler. */
const LOOK_MS = 1000

/**
 * A notification says that something changed, not what: one query then finds the responses that have more entries. It is
 * sent only for responses that are followed, since Postgres commits those that notify one after another.
 *
 * @param channel - its name
 * @param followers - called late: a listener is made for them
 */
export function createListener(
  openClient: () => Promise<Client>,
  channel: string,
  followers: () => Followers,
): Listener {
  const closing = new AbortController()
  let client: Client | undefined
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
      void client?.end().catch(() => {})
    } finally {
      isLooking = false
    }
  }

  async function lookOnce(): Promise<void> {
    const ids = followers().ids()
    if (client === undefined || ids.length === 0) return
    const { rows } = await client.query({
      name: 'look',
      text: 'SELECT id, count, is_running FROM responses WHERE id = ANY($1::text[])',
      values: [ids.map(marked)],
    })
    const found = new Map(rows.map(({ id, count, is_running }) => [unmarked(id), `${count} ${is_running}`]))
    const changed = ids.filter((id) => seen.get(id) !== (found.get(id) ?? 'gone'))
    seen = new Map(ids.map((id) => [id, found.get(id) ?? 'gone']))
    followers().wake(changed)
  }

  async function listen(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        const opened = await openClient()
        const ended = new Promise<void>((resolve) => void opened.once('end', resolve))
        client = opened
        if (closing.signal.aborted) await opened.end()
        opened.on('notification', () => void look())
        await opened.query(`LISTEN ${channel}`)
        // What was appended meanwhile has notified nobody.
        seen = new Map()
        void look()
        await ended
      } catch {
        // Tried again: until then, who follows waits.
      }
      client = undefined
      await pause(RECONNECT_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  return {
    watch(isOn) {
      clearInterval(looking)
      if (!isOn || closing.signal.aborted) return
      looking = setInterval(() => void look(), LOOK_MS)
      looking.unref()
      listening ??= listen()
    },
    async close() {
      clearInterval(looking)
      closing.abort()
      await client?.end().catch(() => {})
      await listening
    },
  }
}
