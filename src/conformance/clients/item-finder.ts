import { AgreedItem } from './agreed-item.js'

/** Finds the item that an event is about: by its id and its output index, of which one may be wrong or missing. */
export class ItemFinder {
  /** In the order of their first appearance. */
  readonly items: AgreedItem[] = []
  readonly #byId = new Map<string, AgreedItem>()
  readonly #byIndex = new Map<number, AgreedItem>()

  /** The item that an event announces: a new one, unless it is known by all that the event says of it. */
  added(id: unknown, index: unknown): AgreedItem {
    const [known, placed] = [this.#withId(id), this.#at(index)]
    const isOne = known === placed || !isId(id) || typeof index !== 'number'
    const candidate = known ?? placed
    // One that came twice, or that was announced too late.
    const item =
      isOne && known !== undefined && isUndone(known)
        ? known
        : candidate !== undefined && !candidate.places.has('added') && candidate.isOpen
          ? candidate
          : this.#open()
    if (typeof index === 'number') this.#byIndex.set(index, item)
    return this.#named(item, id, index)
  }

  /** The item that another event is about. `owner` is the type of item that such events are for, if it is known. */
  about(id: unknown, index: unknown, owner: string | undefined): AgreedItem {
    const [known, placed] = [this.#withId(id), this.#at(index)]
    if (known !== undefined && placed !== undefined && known !== placed) {
      // One of the two is wrong: an event is about what is open, and of its type.
      const fits = (item: AgreedItem): number => (item.isOf(owner) ? 2 : 0) + (item.isOpen ? 1 : 0)
      return this.#named(fits(placed) > fits(known) ? placed : known, id, index)
    }
    const item = known ?? placed
    if (item !== undefined) return this.#named(item, id, index)
    const isUnplaced = !isId(id) || typeof index !== 'number'
    const open = isUnplaced ? this.items.slice(-NEAR).findLast((one) => one.isOpen && one.isOf(owner)) : undefined
    // What was only guessed is no name for the events that follow.
    return open ?? this.#named(this.#open(), id, index)
  }

  /**
   * The items that a terminal response lists, in its order. Those whose ids nobody knows are the next ones of their
   * type that are not listed by id: some servers give items new ids there.
   */
  listed(list: readonly { readonly id: unknown; readonly type: unknown }[]): (AgreedItem | undefined)[] {
    const taken = new Set<AgreedItem>()
    const take = (item: AgreedItem | undefined): AgreedItem | undefined => {
      if (item === undefined || taken.has(item)) return undefined
      taken.add(item)
      return item
    }
    const ids = new Set<unknown>()
    const isTwice = list.map(({ id }) => isId(id) && (ids.has(id) || !ids.add(id)))
    const found = list.map(({ id }, at) => (isTwice[at] ? undefined : take(this.#withId(id))))
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

  /** All items in the order of their output indexes, or as they came where those do not say. */
  get inOrder(): readonly AgreedItem[] {
    const indexes = this.items.map(({ index }) => index)
    const isClear = new Set(indexes).size === indexes.length && !indexes.includes(undefined)
    if (!isClear) return this.items
    return [...this.items].sort((a, b) => (a.index as number) - (b.index as number))
  }

  #withId(id: unknown): AgreedItem | undefined {
    return isId(id) ? this.#byId.get(id) : undefined
  }

  #at(index: unknown): AgreedItem | undefined {
    return typeof index === 'number' ? this.#byIndex.get(index) : undefined
  }

  #named(item: AgreedItem, id: unknown, index: unknown): AgreedItem {
    item.number(index)
    // An id of an item that is over is another item's where a server has but one id for all.
    const known = this.#withId(id)
    if (isId(id) && (known === undefined || (!known.isOpen && item.isOpen))) this.#byId.set(id, item)
    if (typeof index === 'number' && !this.#byIndex.has(index)) this.#byIndex.set(index, item)
    return item
  }

  #open(): AgreedItem {
    const item = new AgreedItem()
    this.items.push(item)
    return item
  }
}

/** So far back an item is looked for that nothing names: the work for an event must not grow with the stream. */
const NEAR = 16

const isId = (id: unknown): id is string => typeof id === 'string' && id !== ''

/** Whether an announcement can still be one of it: it is not over, or was over before it was announced. */
const isUndone = (item: AgreedItem): boolean => item.isOpen || !item.places.has('added')
