import { IN_PROGRESS, responseOf } from '../../../../core/response-object/response-object.js'
import type { InputItem } from '../../../../core/responses/input-items.js'
import { randomId } from '../../../../defaults.js'
import { merged } from '../../../../shared/merged.js'
import type { HistoryEntry } from '../../../prompt/history.js'
import type { ConversationTurn, FinishedResponse, OpenResult } from '../../../stores/store.js'
import type { Setup } from '../setup.js'
import { NOT_CONTINUED } from '../storage/store-failed.js'
import { blockOf } from '../storage/written.js'

/*
 * Items that a client adds to a conversation, or that stay when one is removed, are stored like those of a response: as a
 * step, which no model writes and no client sees.
 */

const PREFIX = 'convstep_'

/** Whether a response of a conversation is a step. */
export function isStep({ response }: Pick<FinishedResponse, 'response'>): boolean {
  return response.id.startsWith(PREFIX)
}

/** Returns the id of a new step. */
export function newStepId(): string {
  return randomId(PREFIX)
}

export interface Step {
  readonly responseId: string
  readonly owner: string
  readonly turn: ConversationTurn
  /** What it continues; undefined if the conversation begins with it, once or anew. */
  readonly previous?: string | undefined
  readonly added: readonly InputItem[]
  readonly history: readonly HistoryEntry[]
}

/**
 * Stores a step. One that is cut off between its two writes is ended as failed, like a response, once its lease has
 * expired, and leaves the conversation as it was.
 *
 * @returns why it was refused; `written` otherwise
 */
export async function writeStep(
  { durable, clock }: Setup,
  { responseId, owner, turn, previous, added, history }: Step,
): Promise<Exclude<OpenResult['state'], 'opened'> | 'written'> {
  const { store, writer, leaseSeconds } = durable
  const at = clock()
  let isOpened = false
  try {
    const opening = await store.open({
      ...{ responseId, owner, conversation: turn, leaseSeconds },
      // What another process reads of one that was cut off.
      entries: blockOf([{ at, type: 'fail', failure: NOT_CONTINUED }]),
      ...(previous !== undefined && { previous }),
    })
    if (opening.state !== 'opened') return opening.state
    isOpened = true
    const progress = merged(IN_PROGRESS, { status: 'completed', completedAt: at })
    const response = responseOf({ responseId, createdAt: at, request: {}, progress }, true, { output: [], usage: null })
    const end = { finished: { response, added, history }, entries: blockOf([]) }
    const { state } = await writer.append({ lease: opening.lease, at: 1, end, leaseSeconds })
    if (state === 'written') return 'written'
    throw new Error(`${responseId} was taken over`)
  } catch (error) {
    if (isOpened && (await store.find(responseId, owner))?.state === 'finished') return 'written'
    // Or the conversation would be locked until its lease has expired. The store may have opened it before it failed.
    await store.delete(responseId, owner).catch(() => {})
    throw error
  }
}
