import { closable } from '../../../../shared/closable.js'
import { RequestError } from '../../../../shared/request-error.js'
import { withPauses } from '../../../../shared/slices.js'
import { nextTurn } from '../../../flow/next-turn.js'
import { BEHAVIOR_VERSION, type Entry } from '../../../journal/entry.js'
import type { ResponseStore, StoredBlock } from '../../../stores/store.js'
import { decodeEntriesInSlices } from './entry-bytes.js'

/** Yields the entries of a response from an index on, as they arrive. Undefined if the store has none. */
export async function readEntries(
  store: Pick<ResponseStore, 'entries'>,
  responseId: string,
  owner: string,
  from = 0,
): Promise<AsyncIterable<readonly Entry[]> | undefined> {
  const blocks = await store.entries(responseId, owner, from)
  return blocks && entriesIn(blocks, from)
}

function entriesIn(blocks: AsyncIterable<readonly StoredBlock[]>, from: number): AsyncGenerator<readonly Entry[]> {
  const source = blocks[Symbol.asyncIterator]()
  async function* read(): AsyncGenerator<readonly Entry[]> {
    let next = from
    for (let step = await source.next(); !step.done; step = await source.next()) {
      const entries: Entry[] = []
      for (const { at, count, bytes } of step.value) {
        // A block may have replaced others, in the middle of which the reader is.
        if (at + count <= next) continue
        const block = await withPauses(decodeEntriesInSlices(bytes), nextTurn)
        for (let index = next - at; index < block.length; index++) entries.push(block[index] as Entry)
        next = at + count
      }
      if (entries.length > 0) yield entries
    }
  }
  return closable(read(), () => {
    // Not awaited: it may be waiting for an entry.
    source.return?.().catch(() => {})
  })
}

/**
 * Returns entries that this process can interpret.
 *
 * @throws RequestError `stream_not_resumable`, before anything is yielded, if they are of another behaviour
 */
export async function followable(
  entries: AsyncIterable<readonly Entry[]>,
  responseId: string,
): Promise<AsyncIterable<readonly Entry[]>> {
  const source = entries[Symbol.asyncIterator]()
  let first: IteratorResult<readonly Entry[]>
  try {
    first = await source.next()
  } catch (error) {
    throw isUnreadable(error) ? notResumable(responseId) : error
  }
  if (!first.done && !isOurs(first.value)) {
    source.return?.().catch(() => {})
    throw notResumable(responseId)
  }
  async function* rest(): AsyncGenerator<readonly Entry[]> {
    for (let step = first; !step.done; step = await source.next()) yield step.value
  }
  return closable(rest(), () => {
    source.return?.().catch(() => {})
  })
}

/** Whether this process can interpret entries, by the first of them. */
export function isOurs([open]: readonly Entry[]): boolean {
  return open?.type === 'open' && open.behaviour === BEHAVIOR_VERSION
}

/** Whether entries are in a format that this process does not know. */
export function isUnreadable(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'bad_option'
}

function notResumable(responseId: string): RequestError {
  const reason = 'were made by another version of this server, which alone can send them'
  const message = `The events of response '${responseId}' ${reason}. Retrieve it without 'stream'.`
  return new RequestError(message, { param: 'stream', code: 'stream_not_resumable', status: 409 })
}
