import { RequestError } from '../../../../shared/request-error.js'
import type { ByteHold } from '../../../flow/byte-budget.js'
import type { Entry, OpenEntry } from '../../../journal/entry.js'
import { callsOf } from '../../../respond/offered.js'
import type { ClaimedLease, ExpiredResponse, KeptResponse } from '../../../stores/store.js'
import { resumedConversation } from '../conversation/resumed-conversation.js'
import { addRun } from '../create.js'
import { engineFor } from '../engine-for.js'
import { RESPONSE_BYTES } from '../limits/memory.js'
import { runOptions } from '../run-options.js'
import { startRun } from '../running/running-response.js'
import type { Setup } from '../setup.js'
import { ENTRIES_LOST, NOT_CONTINUED } from '../storage/store-failed.js'
import { claimedEntries, endClaimed } from './end-response.js'
import type { OtherVersions } from './other-versions.js'

/** Why a response of a dead process ends, although another process took it over. */
export type NotContinued =
  /** Its client has probably left, and `onDisconnect` is `stop`. */
  | 'client_gone'
  /** Another version of this library wrote its entries, which only that version can interpret, and no process of it came. */
  | 'other_version'
  /** The engine returns text, so the sampled tokens are unknown. */
  | 'text_engine'
  /** The model is not served here. */
  | 'unknown_model'
  /** The store may have lost entries that its client was shown. */
  | 'entries_lost'

/** A response whose lease this process has taken. */
export interface TakeOver {
  readonly responseId: string
  /** Whether this process continues it; otherwise it has failed. */
  readonly continues: boolean
  /** Why it does not continue. */
  readonly reason?: NotContinued
}

/**
 * Continues a response whose process has died, or ends it.
 *
 * @param others - where one of another version is left for a while
 * @returns undefined if another process was faster, there is no room here now, or it is left
 */
export async function takeOver(
  setup: Setup,
  { responseId, owner }: ExpiredResponse,
  others: OtherVersions,
): Promise<TakeOver | undefined> {
  const { store, leaseSeconds } = setup.durable
  // Reserved before the claim: another process may have room.
  const room = await roomFor(setup, owner)
  if (room === undefined) return undefined
  let isRunning = false
  try {
    const claimed = await store.claim({ responseId, owner, leaseSeconds })
    if (claimed === undefined) return undefined
    const read = await claimedEntries(setup, claimed)
    const { entries } = read
    const reason = claimed.mayLack ? 'entries_lost' : whyNot(setup, entries)
    if (reason === undefined) {
      await continueResponse(setup, claimed, entries as readonly Entry[], room)
      isRunning = true
      return { responseId, continues: true }
    }
    // A step of a conversation that was cut off begins with its failure, and ends.
    if (reason === 'other_version' && read.open?.type !== 'fail' && others.leave(responseId)) {
      // Gives the lease back: it expires at once.
      await store.claim({ responseId, owner, leaseSeconds: 0, isForced: true })
      return undefined
    }
    const failure = reason === 'entries_lost' ? ENTRIES_LOST : NOT_CONTINUED
    await endClaimed(setup, claimed, read, { type: 'fail', failure })
    return { responseId, continues: false, reason }
  } finally {
    if (!isRunning) {
      room.leave()
      room.held.end()
    }
  }
}

/** A place and memory for a response. */
interface Room {
  readonly held: ByteHold
  readonly leave: () => void
}

/** Returns undefined if there is none: another process may have room, or this one later. */
async function roomFor({ admission, budget }: Setup, owner: string): Promise<Room | undefined> {
  const held = budget.hold(owner, 'response')
  try {
    if (held.take(RESPONSE_BYTES) === 'taken') {
      return { held, leave: await admission.enter(owner, AbortSignal.timeout(1), true) }
    }
  } catch (error) {
    if (!(error instanceof RequestError || (error as Error).name === 'TimeoutError')) throw error
  }
  held.end()
  return undefined
}

function whyNot({ options, engineOf }: Setup, entries: readonly Entry[] | undefined): NotContinued | undefined {
  const [open] = entries ?? []
  if (open?.type !== 'open') return 'other_version'
  if (!open.request.background && (options.onDisconnect ?? 'stop') === 'stop') return 'client_gone'
  if (open.capabilities?.spellsMarkers) return 'text_engine'
  try {
    engineOf(open.request.model ?? '')
  } catch (error) {
    if (error instanceof RequestError) return 'unknown_model'
    throw error
  }
  return undefined
}

/** Continues after its entries. */
async function continueResponse(
  setup: Setup,
  claimed: ClaimedLease,
  entries: readonly Entry[],
  room: Room,
): Promise<void> {
  const { lease } = claimed
  const { responseId, owner } = lease
  const open = entries[0] as OpenEntry & Entry
  const { request } = open
  const { model = '' } = request
  // Its own lineage: its predecessors may have been deleted since, but stay as long as it does.
  const { responses = [] } = (await setup.durable.store.lineage(responseId, owner)) ?? {}
  const conversation = resumedConversation(setup, responses, open)
  const observed = setup.observer?.response({ responseId, model, owner, request: undefined, trace: undefined })
  const onEnd = (ending?: KeptResponse): void => {
    room.leave()
    observed?.ended(ending)
  }
  const run = await startRun({
    ...runOptions(
      setup,
      { engine: await engineFor(setup, model, { owner }), observed, held: room.held, onEnd },
      { owner, responseId, request, conversation, isOffered: callsOf(open.operator?.tools ?? []) },
    ),
    repository: setup.durable,
    begin: { lease, entries },
    isTransient: false,
    signal: undefined,
    isBackground: request.background === true,
  })
  addRun(setup, run)
}
