import type { InputItem } from '../../../src/core/responses/input-items.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { decodeEntries, encodeEntries } from '../../../src/endpoint/server/service/storage/entry-bytes.js'
import type {
  EntryBlock,
  FinishedResponse,
  Lease,
  NewResponse,
  ResponseStore,
} from '../../../src/endpoint/stores/index.js'

/** An entry that differs from others by its number. */
export function entry(number: number): Entry {
  return { type: 'chunk', at: 0, tokens: [number] }
}

/** Entries as a store takes them. */
export function block(...entries: readonly Entry[]): EntryBlock {
  return { count: entries.length, bytes: encodeEntries(entries) }
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

/** Opens a response. */
export async function open(
  store: ResponseStore,
  { owner = 'ann', leaseSeconds = 3600, entries = block(), ...response }: Partial<NewResponse> & { responseId: string },
): Promise<Lease> {
  const opening = await store.open({ owner, leaseSeconds, entries, ...response })
  if (opening.state !== 'opened') throw new Error(`not opened: ${opening.state}`)
  return opening.lease
}

/** Ends a response. */
export async function end(store: ResponseStore, lease: Lease, at: number, items: ItemsOf = {}): Promise<void> {
  const [appended] = await store.append([{ lease, at, end: { finished: finished(items) }, leaseSeconds: 3600 }])
  if (appended?.state !== 'written') throw new Error(`not written: ${appended?.state}`)
}

/** Opens a response and finishes it. */
export async function keep(
  store: ResponseStore,
  response: Partial<NewResponse> & { readonly responseId: string },
  { entries = [], ...items }: ItemsOf & { readonly entries?: readonly Entry[] } = {},
): Promise<Lease> {
  const lease = await open(store, { ...response, entries: block(...entries) })
  await end(store, lease, entries.length, items)
  return lease
}

/** The entries that are there, without those that come later. */
export async function entriesNow(
  store: ResponseStore,
  responseId: string,
  owner: string,
  count: number,
): Promise<readonly Entry[] | undefined> {
  const blocks = await store.entries(responseId, owner)
  if (blocks === undefined) return undefined
  const now: Entry[] = []
  if (count > 0) {
    for await (const added of blocks) {
      for (const { bytes } of added) now.push(...decodeEntries(bytes))
      if (now.length >= count) break
    }
  }
  return now
}
