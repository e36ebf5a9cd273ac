import { AgreedItem } from './agreed-item.js'

/** Finds the item that an event is about by its id and output_index, one of which may be wrong or missing. */
export class ItemFinder {
  /** All items, in the order in which they first appeared. */
  readonly items: AgreedItem[] = []
  /** Usually one item per id; two if an event has the id of another item. */
  readonly #byId = new Map<string, AgreedItem[]>()
  readonly #byIndex = new Map<number, AgreedItem>()
  /** The item that the last event was about, where its id and its index both named it. */
  #last: { readonly id: string; readonly index: number; readonly item: AgreedItem } | undefined

  /**
   * The item that an event adds: a new one, unless its id and index name a known item. If that is done, it is repeated.
   */
  added(id: unknown, index: unknown, type?: unknown): AgreedItem {
    this.#last = undefined
    const known = this.#withId(id)
    const placed = this.#at(index)
    if (known !== undefined && known === placed && !isUndone(known) && known.kind === type) {
      known.isRepeated = true
      return known
    }
    const isOne = known === placed || !isId(id) || typeof index !== 'number'
    const candidate = known ?? placed
    // The event came twice, or late.
    const item =
      isOne && known !== undefined && isUndone(known)
        ? known
        : candidate !== undefined && !candidate.places.has('added') && candidate.isOpen
          ? candidate
          : this.#open()
    if (typeof index === 'number') this.#byIndex.set(index, item)
    return this.#named(item, id, index)
  }

  /** The item that any other event is about. `type` is the item type that the event implies, if any. */
  about(id: unknown, index: unknown, type: string | undefined): AgreedItem {
    const last = this.#last
    // Most events are about the same item as the one before.
    if (last !== undefined && last.id === id && last.index === index) return this.#named(last.item, id, index)
    const known = this.#withId(id)
    const placed = this.#at(index)
    this.#last =
      known !== undefined && known === placed ? { id: id as string, index: index as number, item: known } : undefined
    if (known !== undefined && placed !== undefined && known !== placed) {
      // The id or the index is wrong. Prefers an item of the right type, and then an open one.
      const fits = (item: AgreedItem): number => (item.mayHaveType(type) ? 2 : 0) + (item.isOpen ? 1 : 0)
      return this.#named(fits(placed) > fits(known) ? placed : known, id, index)
    }
    const item = known ?? placed
    if (item !== undefined) return this.#named(item, id, index)
    const isUnplaced = !isId(id) || typeof index !== 'number'
    const open = isUnplaced ? this.items.slice(-NEAR).findLast((one) => one.isOpen && one.mayHaveType(type)) : undefined
    // Does not remember the id or index of a guessed item: the guess may be wrong for later events.
    return open ?? this.#named(this.#open(), id, index)
  }

  /**
   * The items that a terminal response lists, in its order. An unknown id stands for the next unlisted item of the same
   * type, as some servers give items new ids there.
   */
  listed(list: readonly { readonly id: unknown; readonly type: unknown }[]): (AgreedItem | undefined)[] {
    this.#last = undefined
    const known = list.map(({ id }) => this.#withId(id))
    // Almost always each is known by its id.
    if (!known.includes(undefined) && new Set(known).size === known.length) return known
    const taken = new Set<AgreedItem>()
    const take = (item: AgreedItem | undefined): AgreedItem | undefined => {
      if (item === undefined || taken.has(item)) return undefined
      taken.add(item)
      return item
    }
    const ids = new Set<unknown>()
    const isTwice = list.map(({ id }) => isId(id) && (ids.has(id) || !ids.add(id)))
    const found = known.map((item, at) => (isTwice[at] ? undefined : take(item)))
    const inOrder = this.inOrder
    const isWhole = list.length === inOrder.length
    const rest = inOrder.filter((item) => !taken.has(item))
    return list.map(({ id, type }, at) => {
      if (isTwice[at] || found[at] !== undefined) return found[at]
      if (isWhole && take(inOrder[at]) !== undefined) return inOrder[at]
      const next = rest.findIndex((item) => item.kind === type && !taken.has(item))
      const only = rest.length === 1 ? 0 : -1
      const item = take(rest[next >= 0 ? next : only])
      return item ?? this.#named(this.#open(), id, undefined)
    })
  }

  /** All items by output index, or in the order of the stream if indexes are missing or repeated. */
  get inOrder(): readonly AgreedItem[] {
    const indexes = this.items.map(({ index }) => index)
    const isClear = new Set(indexes).size === indexes.length && !indexes.includes(undefined)
    if (!isClear) return this.items
    return [...this.items].sort((a, b) => (a.index as number) - (b.index as number))
  }

  #withId(id: unknown): AgreedItem | undefined {
    const items = isId(id) ? this.#byId.get(id) : undefined
    if (items === undefined || items.length === 1) return items?.[0]
    return items.reduce((best, item) => (item.countOfId(id as string) > best.countOfId(id as string) ? item : best))
  }

  #at(index: unknown): AgreedItem | undefined {
    return typeof index === 'number' ? this.#byIndex.get(index) : undefined
  }

  #named(item: AgreedItem, id: unknown, index: unknown): AgreedItem {
    item.addIndex(index)
    if (isId(id) && item.addId(id)) {
      const items = this.#byId.get(id)
      if (items === undefined) this.#byId.set(id, [item])
      else items.push(item)
    }
    if (typeof index === 'number' && !this.#byIndex.has(index)) this.#byIndex.set(index, item)
    return item
  }

  #open(): AgreedItem {
    const item = new AgreedItem()
    this.items.push(item)
    return item
  }
}

/** How many items back to search without an id or index, so that the work per event does not grow with the stream. */
const NEAR = 16

const isId = (id: unknown): id is string => typeof id === 'string' && id !== ''

/** Whether an `added` event may still belong to the item: it is open, or was done before it was added. */
const isUndone = (item: AgreedItem): boolean => item.isOpen || !item.places.has('added')
