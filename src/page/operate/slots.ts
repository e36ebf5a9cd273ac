import type { AdminNow, AdminRunning } from '../../endpoint/server/admin/types.js'

/** How long a response that has ended keeps its place, in seconds. */
const KEPT_SECONDS = 6

/** A row of the running responses. Undefined: it is free. */
export type Slot = { readonly running: AdminRunning; readonly endedAt?: number } | undefined

/**
 * Places what runs. A response keeps its row: what is to be pressed is not moved away under the finger by one that ends
 * above it.
 */
export function placeRunning(slots: readonly Slot[], { at, running }: Pick<AdminNow, 'at' | 'running'>): Slot[] {
  const waiting = new Map(running.map((each) => [each.id, each]))
  const placed = slots.map((slot): Slot => {
    if (slot === undefined) return undefined
    const still = waiting.get(slot.running.id)
    waiting.delete(slot.running.id)
    if (still !== undefined) return { running: still }
    const { endedAt = at } = slot
    return at - endedAt < KEPT_SECONDS ? { running: slot.running, endedAt } : undefined
  })
  for (const each of waiting.values()) {
    const free = placed.indexOf(undefined)
    placed[free === -1 ? placed.length : free] = { running: each }
  }
  return placed.slice(0, placed.findLastIndex((slot) => slot !== undefined) + 1)
}
