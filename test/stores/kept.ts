import type { Entry } from '../../src/journal/entry.js'
import type { InputItem } from '../../src/responses/input-items.js'
import type { FinishedResponse, Lease, NewResponse, ResponseStore } from '../../src/stores/index.js'

/** An entry that differs from others by its number. */
export function entry(number: number): Entry {
  return { type: 'chunk', at: 0, tokens: [number] }
}

/** An item of a client's or of a model's. */
export function item(id: string, text: string = id): InputItem {
  return { type: 'message', role: 'user', id, content: [{ type: 'input_text', text }] } as InputItem
}

/** The items of a response. */
export interface ItemsOf {
  readonly input?: readonly InputItem[]
  readonly output?: readonly InputItem[]
}

/** A response that is over. */
export function finished({ input = [], output = [] }: ItemsOf = {}): FinishedResponse {
  return {
    response: { status: 'completed', output } as unknown as FinishedResponse['response'],
    added: input,
    history: [],
  }
}

/** Opens a response and finishes it. */
export async function keep(
  store: ResponseStore,
  { owner = 'ann', isTransient = false, ...response }: Partial<NewResponse> & { readonly responseId: string },
  { entries = [], ...items }: ItemsOf & { readonly entries?: readonly Entry[] } = {},
): Promise<Lease> {
  const lease = await store.open({ owner, isTransient, ...response })
  await store.append(lease, 0, entries)
  await store.finish(lease, finished(items))
  return lease
}

/** The entries that are there, without those that come later. */
export async function entriesNow(
  store: ResponseStore,
  responseId: string,
  owner: string,
  count: number,
): Promise<readonly Entry[] | undefined> {
  const entries = await store.entries(responseId, owner)
  if (entries === undefined) return undefined
  const now: Entry[] = []
  if (count > 0) {
    for await (const added of entries) {
      now.push(...added)
      if (now.length >= count) break
    }
  }
  return now
}
