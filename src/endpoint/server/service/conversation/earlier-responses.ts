import type { InputItem } from '../../../../core/responses/input-items.js'
import { RequestError } from '../../../../shared/request-error.js'
import { shortened } from '../../../../shared/shortened.js'
import type { FinishedResponse, ResponseStore } from '../../../stores/store.js'
import { isCutOff } from './cut-off.js'

/**
 * A response that is not stored but remembered by its caller. Each contains its own addition and refers to its
 * predecessors, so that a conversation takes as much memory as its content.
 */
export interface RememberedResponse {
  readonly finished: FinishedResponse
  readonly before: Predecessor | undefined
}

/** The predecessor of a response: a remembered one, or the id of a stored one. */
export type Predecessor = RememberedResponse | string

/** The responses that a request continues. */
export interface EarlierResponses {
  /** From the first of the conversation on. */
  readonly responses: readonly FinishedResponse[]
  /** How many of them, from the first on, are stored. */
  readonly stored: number
  /** The last stored one. */
  readonly previous: string | undefined
  readonly before: Predecessor | undefined
}

export const NO_RESPONSES: EarlierResponses = { responses: [], stored: 0, previous: undefined, before: undefined }

export interface EarlierContext {
  readonly owner: string
  readonly store: Pick<ResponseStore, 'lineage'>
  /** Looks up responses that are not stored but that the caller remembers: those of its WebSocket. */
  readonly remembered?: (responseId: string) => RememberedResponse | undefined
}

/**
 * Returns the response of a `previous_response_id`, and its predecessors.
 *
 * @throws RequestError if it is missing, or has not finished
 */
export async function earlierResponses(
  id: string,
  { owner, store, remembered }: EarlierContext,
): Promise<EarlierResponses> {
  const before = remembered?.(id) ?? id
  const transient: FinishedResponse[] = []
  let first: Predecessor | undefined = before
  while (typeof first === 'object') {
    transient.push(first.finished)
    first = first.before
  }
  transient.reverse()
  if (first === undefined) return { responses: transient, stored: 0, previous: undefined, before }
  const found = await store.lineage(first, owner)
  if (found === undefined) throw previousNotFound(id)
  if (found.state === 'running') {
    const about = { param: 'previous_response_id', code: 'invalid_value' } as const
    throw new RequestError(`Previous response with id '${id}' is still in progress.`, about)
  }
  const stored = found.responses
  return { responses: [...stored, ...transient], stored: stored.length, previous: first, before }
}

export function previousNotFound(id: string): RequestError {
  const about = { param: 'previous_response_id', code: 'previous_response_not_found' } as const
  return new RequestError(`Previous response with id '${shortened(id, 80)}' not found.`, about)
}

/** Returns the conversation of responses: the input of each, and the part of its output that another can continue. */
export function itemsOfResponses(responses: readonly FinishedResponse[]): InputItem[] {
  const items: InputItem[] = []
  for (const { added, response } of responses) {
    // One by one: a hundred thousand items are too many for arguments.
    for (const item of added) items.push(item)
    for (const item of response.output as readonly InputItem[]) if (!isCutOff(item)) items.push(item)
  }
  return items
}
