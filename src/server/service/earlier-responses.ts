import { RequestError } from '../../request-error.js'
import type { InputItem } from '../../responses/input-items.js'
import type { FinishedResponse, ResponseStore } from '../../stores/store.js'
import { isCutOff } from './cut-off.js'

/**
 * A response that is not stored, as the one remembers it who has just had it. Each has what it added, and those before it
 * by reference, so that a conversation takes as much memory as what was said in it.
 */
export interface RememberedResponse {
  readonly finished: FinishedResponse
  readonly before: Predecessor | undefined
}

/** What a response goes on from: one that is remembered, or the id of one that is stored. */
export type Predecessor = RememberedResponse | string

/** The responses that a request goes on from. */
export interface EarlierResponses {
  /** The first of the conversation first. */
  readonly responses: readonly FinishedResponse[]
  /** How many of them, from the first on, the store has. */
  readonly stored: number
  /** The last of those. */
  readonly previous: string | undefined
  readonly before: Predecessor | undefined
}

export const NO_RESPONSES: EarlierResponses = { responses: [], stored: 0, previous: undefined, before: undefined }

export interface EarlierContext {
  readonly owner: string
  readonly store: Pick<ResponseStore, 'lineage'>
  /** Responses that are not stored, but that the caller remembers: those of its WebSocket. */
  readonly remembered?: (responseId: string) => RememberedResponse | undefined
}

/**
 * The response of a `previous_response_id`, and those that it goes on from.
 *
 * @throws RequestError if it is not there, or not over
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
  return new RequestError(
    `Previous response with id '${id.length > 80 ? `${id.slice(0, 80)}...` : id}' not found.`,
    about,
  )
}

/** The conversation that some responses are: what each was sent, and what another can go on from of what it said. */
export function itemsOfResponses(responses: readonly FinishedResponse[]): InputItem[] {
  const items: InputItem[] = []
  for (const { added, response } of responses) {
    // One by one: as arguments, a hundred thousand are too many.
    for (const item of added) items.push(item)
    for (const item of response.output as readonly InputItem[]) if (!isCutOff(item)) items.push(item)
  }
  return items
}
