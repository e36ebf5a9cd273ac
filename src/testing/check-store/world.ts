import type { InputItem } from '../../core/responses/input-items.js'
import type {
  AppendResult,
  EntryBlock,
  FinishedResponse,
  Lease,
  NewResponse,
  ResponseStore,
  StoredBlock,
} from '../../endpoint/stores/store.js'

/* Test data for the rules. A store does not interpret its content: here, an entry is one byte, and an item is an id. */

/** A rule that a store breaks. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

/** @throws Broken */
export function expectSame(got: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(got) ?? 'nothing', JSON.stringify(expected) ?? 'nothing']
  if (one !== other) throw new Broken(`${what}: expected ${clip(other)}, got ${clip(one)}`)
}

function clip(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

/** A lease that lasts longer than any check. */
export const LONG = 3600

export function block(...entries: readonly number[]): EntryBlock {
  return { count: entries.length, bytes: Uint8Array.from(entries) }
}

export function item(id: string, text: string = id): InputItem {
  return { type: 'message', role: 'user', id, content: [{ type: 'input_text', text }] } as InputItem
}

export function finished(
  added: readonly InputItem[] = [],
  output: readonly InputItem[] = [],
  status: FinishedResponse['response']['status'] = 'completed',
): FinishedResponse {
  return {
    // The part of a response that the rules read.
    response: { status, output } as FinishedResponse['response'],
    added,
    history: [{ tokens: [1, 200_006] }],
  }
}

/** The text of an item; undefined if there is none. */
export function textOf(found: { readonly item: InputItem } | undefined): unknown {
  return (found?.item as { readonly content?: readonly { readonly text?: unknown }[] } | undefined)?.content?.[0]?.text
}

export const NEW: NewResponse = { responseId: 'resp_1', owner: 'ann', entries: block(), leaseSeconds: LONG }

/** Opens a response that has to be opened. */
export async function open(store: ResponseStore, response: Partial<NewResponse> = {}): Promise<Lease> {
  const opening = await store.open({ ...NEW, ...response })
  if (opening.state !== 'opened') throw new Broken(`open: expected opened, got ${opening.state}`)
  return opening.lease
}

/** Appends entries after the first `at`. */
export async function append(
  store: ResponseStore,
  lease: Lease,
  at: number,
  entries: readonly number[],
  leaseSeconds: number = LONG,
): Promise<AppendResult | undefined> {
  const added = entries.length > 0 ? { entries: block(...entries) } : {}
  const [appended] = await store.append([{ lease, at, ...added, leaseSeconds }])
  return appended
}

/** Ends a response with `at` entries. */
export async function end(
  store: ResponseStore,
  lease: Lease,
  at: number,
  became: FinishedResponse = finished(),
): Promise<AppendResult | undefined> {
  const [appended] = await store.append([{ lease, at, end: { finished: became }, leaseSeconds: LONG }])
  return appended
}

/** Opens a response and ends it. */
export async function keep(
  store: ResponseStore,
  response: Partial<NewResponse>,
  became: FinishedResponse = finished(),
): Promise<Lease> {
  const lease = await open(store, response)
  expectSame(await end(store, lease, response.entries?.count ?? 0, became), { state: 'written' }, 'the end')
  return lease
}

/** Opens and ends responses that continue each other, each with one item of its own. */
export async function chain(store: ResponseStore, ...ids: readonly string[]): Promise<void> {
  for (const [at, responseId] of ids.entries()) {
    const previous = ids[at - 1]
    await keep(
      store,
      { responseId, ...(previous !== undefined && { previous }) },
      finished([item(`msg_${responseId}`)]),
    )
  }
}

/** The items that each response of a lineage added. */
export async function lineageOf(store: ResponseStore, responseId: string, owner: string = 'ann'): Promise<unknown> {
  const found = await store.lineage(responseId, owner)
  return found?.responses.map(({ added }) => added.map(({ id }) => id).join())
}

/** The entries that a reader received, and whether more can follow. */
export interface Reading {
  readonly entries: number[]
  /** Resolves at the end of the entries. */
  readonly over: Promise<void>
  leave(): Promise<void>
  /** Resolves when this many were read. */
  until(count: number): Promise<void>
}

/** Reads a response from one index on; undefined if the store has no entries of it. */
export async function read(
  store: ResponseStore,
  from = 0,
  { responseId, owner }: { readonly responseId: string; readonly owner: string } = NEW,
): Promise<Reading | undefined> {
  const blocks = await store.entries(responseId, owner, from)
  if (blocks === undefined) return undefined
  const source = blocks[Symbol.asyncIterator]()
  const entries: number[] = []
  let wake = (): void => {}
  let isOver = false
  let next = from
  const take = ({ at, count, bytes }: StoredBlock): void => {
    if (at > next) throw new Broken(`a reader missed the entries from ${next} to ${at}`)
    if (bytes.length !== count) throw new Broken(`a block of ${count} entries came with ${bytes.length} bytes`)
    for (let index = Math.max(next - at, 0); index < count; index++) entries.push(bytes[index] as number)
    next = Math.max(next, at + count)
  }
  const readAll = async (): Promise<void> => {
    try {
      for (let step = await source.next(); !step.done; step = await source.next()) {
        for (const one of step.value) take(one)
        wake()
      }
    } finally {
      isOver = true
      wake()
    }
  }
  const over = readAll()
  over.catch(() => {})
  return {
    entries,
    over,
    async leave() {
      await source.return?.()
    },
    async until(count) {
      while (entries.length < count) {
        if (isOver) throw new Broken(`a reader got ${entries.length} entries and then the end, not ${count}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

/** The entries that are there now. */
export async function entriesNow(
  store: ResponseStore,
  count: number,
  response: { readonly responseId: string; readonly owner: string } = NEW,
): Promise<readonly number[] | undefined> {
  const reading = await read(store, 0, response)
  if (reading === undefined) return undefined
  await reading.until(count)
  await reading.leave()
  return reading.entries
}
