import type { Write } from '../flow/queue.js'

/** The single reader of an iterable. */
export interface Reader<T> {
  /** Passes each value to `write`, and awaits its result. Resolves at the end, or when the reader has left. */
  drainTo(write: Write<T>): Promise<void>
  /** Closes the iterable at once. Resolves when it has ended: a generator answers after its pending step. */
  leave(): Promise<void>
}

type AnyIterator<T> = (AsyncIterator<T> | Iterator<T>) & {
  /** Implemented by queues. */
  readonly drainTo?: (write: Write<T>) => Promise<unknown>
}

/** Returns the reader of the values, or the values that are one. */
export function readerOf<T>(values: AsyncIterable<T> | Iterable<T> | Reader<T>): Reader<T> {
  if ('drainTo' in values && 'leave' in values) return values
  const iterator: AnyIterator<T> =
    Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]()
  let hasLeft = false
  return {
    async drainTo(write) {
      if (iterator.drainTo !== undefined) {
        await iterator.drainTo(write)
        return
      }
      for (let step = await iterator.next(); !step.done && !hasLeft; step = await iterator.next()) {
        const written = write(step.value)
        if (written !== undefined) await written
        if (hasLeft) return
      }
    },
    async leave() {
      hasLeft = true
      await iterator.return?.()
    },
  }
}
