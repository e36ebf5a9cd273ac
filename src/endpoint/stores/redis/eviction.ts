import { steadySeconds } from '../../../shared/system/steady-seconds.js'
import { createExpiry, MAX_EXPIRED } from '../database/expiry.js'
import { marked } from '../database/marked-text.js'
import type { ExtendedConversation } from './appends.js'
import type { Connections } from './connections.js'
import { EVICT_CONVERSATIONS, EXPIRE } from './scripts/leaving.js'
import { CLOCK } from './scripts/server.js'

/** What leaves the store by itself. */
export interface Eviction {
  /** Evicts conversations of owners that are above the limit, the least recently used first, except those that have grown. */
  shrink(grown: readonly ExtendedConversation[]): Promise<void>
  /** Evicts some expired conversations, if it is time to look for them. */
  expire(): Promise<void>
}

export interface Bounds {
  readonly seconds: number
  readonly ownerBytes: number
}

/** The conversations that are evicted at a time for lack of room. */
const MAX_SHRUNK = 16
const MICROSECONDS = 1e6

export function createEviction({ run }: Connections, { seconds, ownerBytes }: Bounds): Eviction {
  const expiry = createExpiry(seconds)
  return {
    async shrink(grown) {
      const except = grown.map(({ cid }) => cid)
      const above = new Set(grown.filter((each) => each.ownerBytes > ownerBytes).map(({ owner }) => owner))
      for (const owner of above) {
        const given = { owner: marked(owner), except, max: ownerBytes, some: MAX_SHRUNK }
        // In steps: each is one in which nothing else happens.
        for (let isMore = true; isMore; ) isMore = (await run(EVICT_CONVERSATIONS, given)) === 1
      }
    },
    async expire() {
      if (expiry.isDue(steadySeconds())) {
        const now = (await run(CLOCK)) as number
        expiry.look({ now: now / MICROSECONDS, steady: steadySeconds() })
      }
      const { before } = expiry
      if (before === undefined) return
      if ((await run(EXPIRE, { before, some: MAX_EXPIRED })) !== MAX_EXPIRED) expiry.end()
    },
  }
}
