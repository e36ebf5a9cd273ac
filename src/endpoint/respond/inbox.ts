import type { CompleteItem } from '../../core/items/host/host-item.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { createWaiter } from '../../shared/closable.js'
import { check } from '../../shared/errors.js'
import { type Entry, type EntryBody, isLastEntry } from '../journal/entry.js'
import type { ResponseFold } from '../journal/response-fold.js'
import { insertable } from './insertable.js'

export interface InboxOptions {
  readonly fold: ResponseFold
  /** The conversation so far, whose ids are taken. */
  readonly input: ResponseRequest['input']
  /** The entries that earlier runs of the response wrote. */
  readonly entries: readonly Entry[]
}

/** The host's inserted items that are not written yet. An item always wakes the loop. */
export class Inbox {
  readonly #options: InboxOptions
  readonly #items: CompleteItem[] = []
  /** Created when its signal is first read, since most responses never do. */
  #over: AbortController | undefined
  #isOver = false
  #waiter = createWaiter()

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /** Aborts when insertion ends. */
  get signal(): AbortSignal {
    this.#over ??= new AbortController()
    if (this.#isOver) this.#over.abort()
    return this.#over.signal
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  /**
   * Takes an item. A property, since it is passed to hosts on its own.
   *
   * @returns whether it will be in the output: not if the response has ended, or if an earlier run wrote an item with
   * its id
   * @throws HarmonyResponsesError `bad_option` if a host may not insert it, or its id is taken
   */
  readonly insert = (item: CompleteItem): boolean => {
    if (this.#isOver) return false
    const whole = insertable(item)
    if (whole.id !== undefined) {
      if (this.#isWritten(whole.id)) return false
      check(!this.#isTaken(whole.id), 'insert: id', 'an unused id', whole.id)
    }
    this.#items.push(whole)
    this.#waiter.interrupt()
    return true
  }

  /** Returns the entry of the oldest item; undefined if there is none. */
  next(): EntryBody | undefined {
    if (this.isEmpty) return undefined
    const item = this.#items.shift() as CompleteItem
    if (this.isEmpty && !this.#isOver) this.#waiter = createWaiter()
    return { type: 'item', item }
  }

  /** Yields the entries of all items, including those that arrive while the first are written. */
  *all(): Generator<EntryBody> {
    for (let item = this.next(); item !== undefined; item = this.next()) yield item
  }

  /** Yields the entries of all items, and then this one. Nothing can be inserted after the terminal entry. */
  *before(entry: EntryBody): Generator<EntryBody> {
    yield* this.all()
    if (isLastEntry(entry)) this.close()
    yield entry
  }

  /** Settles as the promise does, or resolves to undefined when there is an item, or insertion ends. */
  wait<T>(promise: PromiseLike<T>): Promise<T | undefined> {
    return this.#waiter.wait(promise)
  }

  /** Resolves when there is an item, or insertion ends. */
  wake(): Promise<void> {
    return this.wait(new Promise<void>(() => {}))
  }

  /** Takes no more items, and ends all waiting. */
  close(): void {
    this.#isOver = true
    this.#over?.abort()
    this.#waiter.interrupt()
  }

  #isWritten(id: string): boolean {
    return this.#options.entries.some((entry) => entry.type === 'item' && entry.item.id === id)
  }

  /** Whether an item of the response, of the conversation before it, or a waiting one has the id. */
  #isTaken(id: string): boolean {
    const { fold, input } = this.#options
    const known: readonly object[] = [...fold.output, ...this.#items, ...(Array.isArray(input) ? input : [])]
    return known.some((item) => 'id' in item && item.id === id)
  }
}
