/** What bytes are held for. */
export const PURPOSES = ['body', 'queue', 'response', 'socket', 'reader', 'store'] as const

export type Purpose = (typeof PURPOSES)[number]

/**
 * What became of a wish for bytes: `taken`; `later`, when others have given theirs back; or `never`, since the whole
 * budget has no room for so much at once.
 */
export type Taken = 'taken' | 'later' | 'never'

/** Bytes that one owner holds for one purpose. */
export interface ByteHold {
  readonly bytes: number
  /** Holds so many more, all of them or none. A hold that has ended takes none: `later`. */
  take(bytes: number): Taken
  /** Gives so many back, at most what it holds. */
  give(bytes: number): void
  /** Ends this hold, and gives all that it holds to a new one of the same owner. Nothing is asked for. */
  moveTo(purpose: Purpose): ByteHold
  /** Gives everything back. May be called again. */
  end(): void
}

/** What keeps bytes that it can do without: a store of conversations. */
export interface Reclaimable {
  /** How many bytes it keeps now. */
  readonly bytes: number
  /**
   * Drops what was used least recently until so many bytes are free, or nothing is left that it may drop. Called in the
   * middle of other work, so it may not wait.
   *
   * @returns how many bytes became free
   */
  reclaim(bytes: number): number
  /** Calls back after every change of {@link bytes}. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}

/** How much of the memory is in use, and for what. */
export interface ByteUse {
  readonly total: number
  readonly used: number
  readonly by: Readonly<Record<Purpose, number>>
}

/**
 * Divides a number of bytes among owners.
 *
 * An owner holds at most {@link SHARE} times what then remains free: alone three quarters of all; two who want as much as
 * they can get, three sevenths each. So there is always room for one more, however much the others hold, and no owner has to
 * be cut off for it. (Switches share their buffers so: dynamic thresholds, Choudhury and Hahne 1998.)
 */
export interface ByteBudget {
  readonly use: ByteUse
  hold(owner: string, purpose: Purpose): ByteHold
  /**
   * Counts what a store keeps, up to half of all, and takes it back where owners want it. Returns a function that leaves.
   * A store is told to drop, never refused: what it has acknowledged it has to keep.
   */
  join(store: Reclaimable): () => void
}

/** How many times what remains free an owner may hold. */
const SHARE = 3

export interface ByteBudgetOptions {
  /** In bytes. */
  readonly total: number
  /** Called after every change. */
  readonly onChange?: (use: ByteUse) => void
  /** Called where bytes are refused. */
  readonly onRefuse?: (refusal: ByteRefusal) => void
}

/** Bytes that were not to be had. */
export interface ByteRefusal {
  readonly purpose: Purpose
  /** How many were asked for. */
  readonly bytes: number
  readonly taken: 'later' | 'never'
  readonly use: ByteUse
}

export function createByteBudget({ total, onChange, onRefuse }: ByteBudgetOptions): ByteBudget {
  const owners = new Map<string, number>()
  const by = Object.fromEntries(PURPOSES.map((purpose) => [purpose, 0])) as Record<Purpose, number>
  const stores = new Set<Reclaimable>()
  let used = 0

  const useOf = (): ByteUse => ({ total, used, by: { ...by } })
  const changed = (): void => onChange?.(useOf())

  function add(purpose: Purpose, bytes: number): void {
    by[purpose] += bytes
    used += bytes
  }

  function addOf(owner: string, purpose: Purpose, bytes: number): void {
    add(purpose, bytes)
    const held = (owners.get(owner) ?? 0) + bytes
    if (held === 0) owners.delete(owner)
    else owners.set(owner, held)
  }

  /** How many bytes have to become free before the owner may have so many more; 0 or less if it may now. */
  function missing(owner: string, bytes: number): number {
    const held = (owners.get(owner) ?? 0) + bytes
    return bytes + Math.ceil(held / SHARE) - (total - used)
  }

  function reclaim(bytes: number): void {
    let wanted = bytes
    // From the one that keeps most: a small one is not emptied for a large one.
    for (const store of [...stores].sort((one, other) => other.bytes - one.bytes)) {
      if (wanted <= 0) return
      if (store.bytes > 0) wanted -= store.reclaim(wanted)
    }
  }

  function join(store: Reclaimable): () => void {
    let counted = 0
    const count = (): void => {
      const { bytes } = store
      add('store', bytes - counted)
      counted = bytes
    }
    const follow = (): void => {
      const before = counted
      count()
      // What it drops now calls back here, and finds that there is nothing more to drop.
      const excess = Math.max(used - total, by.store - Math.floor(total / 2))
      if (counted > before && excess > 0) reclaim(excess)
      changed()
    }
    stores.add(store)
    const off = store.onChange(follow)
    follow()
    return () => {
      off()
      stores.delete(store)
      add('store', -counted)
      counted = 0
      changed()
    }
  }

  function hold(owner: string, purpose: Purpose, given = 0): ByteHold {
    let bytes = given
    let isOver = false

    function refuse(wanted: number, taken: 'later' | 'never'): Taken {
      onRefuse?.({ purpose, bytes: wanted, taken, use: useOf() })
      return taken
    }
    return {
      get bytes() {
        return bytes
      },
      take(wanted) {
        if (isOver) return 'later'
        if (wanted <= 0) return 'taken'
        if (missing(owner, wanted) > 0) {
          const most = Math.floor((total * SHARE) / (SHARE + 1))
          if (bytes + wanted > most) return refuse(wanted, 'never')
          reclaim(missing(owner, wanted))
          if (missing(owner, wanted) > 0) return refuse(wanted, 'later')
        }
        bytes += wanted
        addOf(owner, purpose, wanted)
        changed()
        return 'taken'
      },
      give(back) {
        const less = Math.min(Math.max(back, 0), bytes)
        if (less === 0) return
        bytes -= less
        addOf(owner, purpose, -less)
        changed()
      },
      moveTo(other) {
        const moved = bytes
        bytes = 0
        isOver = true
        by[purpose] -= moved
        by[other] += moved
        if (moved > 0 && other !== purpose) changed()
        return hold(owner, other, moved)
      },
      end() {
        this.give(bytes)
        isOver = true
      },
    }
  }

  return {
    get use() {
      return useOf()
    },
    hold: (owner, purpose) => hold(owner, purpose),
    join,
  }
}
