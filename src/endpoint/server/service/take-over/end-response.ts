import type { CancelEntry, Entry, FailEntry } from '../../../journal/entry.js'
import { translateEntries } from '../../../respond/index.js'
import { terminalResponse } from '../../../respond/terminal.js'
import type { ClaimedLease } from '../../../stores/store.js'
import type { Setup } from '../setup.js'
import { finishedResponse } from '../storage/finished-response.js'
import { isOurs, isUnreadable, readEntries } from '../storage/stored-entries.js'
import { unfoldedResponse } from '../storage/unfolded-response.js'
import { blockOf, largeBlockOf } from '../storage/written.js'

/** Cancels a response that another process runs or ran, and that can no longer write. */
export async function cancelledElsewhere(setup: Setup, responseId: string, owner: string): Promise<void> {
  const { store, leaseSeconds } = setup.durable
  const claimed = await store.claim({ responseId, owner, leaseSeconds, isForced: true })
  // It has just ended.
  if (claimed === undefined) return
  await endClaimed(setup, claimed, await claimedEntries(setup, claimed), { type: 'cancel' })
}

/** The entries of a claimed response. */
export interface ClaimedEntries {
  /** The first one, from which a response of another version is shown, too. Undefined if it cannot be read. */
  readonly open: Entry | undefined
  /** All of them; undefined if this process cannot interpret them. */
  readonly entries: readonly Entry[] | undefined
}

export async function claimedEntries(setup: Setup, { lease, count }: ClaimedLease): Promise<ClaimedEntries> {
  const { responseId, owner } = lease
  const entries: Entry[] = []
  try {
    // Only this process may append now, so only the existing entries are read.
    for await (const added of (await readEntries(setup.durable.store, responseId, owner)) ?? []) {
      for (const entry of added) entries.push(entry)
      if (entries.length >= count) break
    }
  } catch (error) {
    if (isUnreadable(error)) return { open: entries[0], entries: undefined }
    throw error
  }
  return { open: entries[0], entries: isOurs(entries) ? entries : undefined }
}

/**
 * Ends a claimed response according to its entries, and one more. If they cannot be interpreted, its end is written
 * without them, and without its output.
 */
export async function endClaimed(
  setup: Setup,
  { lease, count }: ClaimedLease,
  { open, entries }: ClaimedEntries,
  last: FailEntry | CancelEntry,
): Promise<void> {
  const { writer, leaseSeconds } = setup.durable
  const { responseId, owner } = lease
  const end: Entry = { at: setup.clock(), ...last }
  if (entries === undefined || open?.type !== 'open') {
    const response = unfoldedResponse(responseId, open, last.type === 'fail' ? last.failure : 'cancelled')
    const finished = { response, added: [], history: [] }
    await writer.append({ lease, at: count, end: { finished, entries: blockOf([]), freesKey: true }, leaseSeconds })
    return
  }
  const translation = translateEntries(setup.respondOptions(responseId, owner, { store: true }))
  try {
    for (const entry of entries) translation.apply(entry)
    const response = terminalResponse(translation.apply(end))
    if (response === undefined) throw new Error(`${responseId} has no end`)
    const { transcript, files } = translation
    const finished = finishedResponse({ response, transcript, files }, open, { seal: setup.seal, owner })
    const all = await largeBlockOf([...entries, end])
    await writer.append({ lease, at: count, entries: blockOf([end]), end: { finished, entries: all }, leaseSeconds })
  } finally {
    translation.dispose()
  }
}
