/** The purposes for which bytes are held. */
export const PURPOSES = ['body', 'queue', 'response', 'socket', 'reader', 'store'] as const

/** @inline */
export type Purpose = (typeof PURPOSES)[number]

/**
 * The result of asking for bytes: `taken`; `retry`, once others have given theirs back; or `too_large`, because they
 * exceed the owner's share of the whole budget.
 */
export type Taken = 'taken' | 'retry' | 'too_large'

/** Bytes that one owner holds for one purpose. */
export interface ByteHold {
  readonly bytes: number
  /** Takes this many more bytes, all or none. An ended hold takes none: `retry`. */
  take(bytes: number): Taken
  /** Gives bytes back, at most those that it holds. */
  give(bytes: number): void
  /** Ends this hold, and moves its bytes to a new one of the same owner, without asking for them again. */
  moveTo(purpose: Purpose): ByteHold
  /** Gives all bytes back. Idempotent. */
  end(): void
}

/** A keeper of dispensable bytes: a store of conversations. */
export interface Reclaimable {
  /** The bytes that it keeps now. */
  readonly bytes: number
  /**
   * Evicts the least recently used entries until this many bytes are free, or nothing is left to evict. Called in the
   * middle of other work, so it must not wait.
   *
   * @returns how many bytes became free
   */
  reclaim(bytes: number): number
  /** Calls back after every change of {@link bytes}. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}

/** The memory in use, by purpose. */
export interface MemoryUse {
  /** The budget, in bytes. */
  readonly total: number
  /** The bytes in use now. */
  readonly used: number
  /** The bytes in use for each purpose. */
  readonly by: Readonly<Record<Purpose, number>>
}

/**
 * Divides a number of bytes among owners.
 *
 * An owner holds at most {@link SHARE} times the bytes that then remain free: three quarters of all if alone, three
 * sevenths each if two take as much as allowed. So there is always room for another owner, whatever the others hold,
 * and none has to be cut off for it. (Switches share their buffers this way: dynamic thresholds, Choudhury and Hahne
 * 1998.)
 */
export interface ByteBudget {
  readonly use: MemoryUse
  hold(owner: string, purpose: Purpose): ByteHold
  /**
   * Counts the bytes of a store, up to half of all, and reclaims them when owners need them. Returns a function that
   * leaves. A store is asked to evict, never refused: it has to keep acknowledged data.
   */
  join(store: Reclaimable): () => void
}

/** The ratio of an owner's bytes to the free ones, at most. */
export const SHARE = 3

export interface ByteBudgetOptions {
  /** In bytes. */
  readonly total: number
  /** Called after every change. */
  readonly onChange?: (use: MemoryUse) => void
  /** Called when bytes are refused. */
  readonly onRefuse?: (refusal: ByteRefusal) => void
}

/** A refused request for bytes. */
export interface ByteRefusal {
  readonly purpose: Purpose
  /** The bytes that were requested. */
  readonly bytes: number
  readonly taken: 'retry' | 'too_large'
  readonly use: MemoryUse
}

export function createByteBudget({ total, onChange, onRefuse }: ByteBudgetOptions): ByteBudget {
  const owners = new Map<string, number>()
  const by = Object.fromEntries(PURPOSES.map((purpose) => [purpose, 0])) as Record<Purpose, number>
  const stores = new Set<Reclaimable>()
  let used = 0

  const useOf = (): MemoryUse => ({ total, used, by: { ...by } })
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

  /** Returns how many bytes have to become free before the owner may have this many more; 0 or less if it may now. */
  function missing(owner: string, bytes: number): number {
    const held = (owners.get(owner) ?? 0) + bytes
    return bytes + Math.ceil(held / SHARE) - (total - used)
  }

  function reclaim(bytes: number): void {
    let remainingBytes = bytes
    // Reclaims from the store that keeps most, so that a small one is not emptied for a large one.
    for (const store of [...stores].sort((one, other) => other.bytes - one.bytes)) {
      if (remainingBytes <= 0) return
      if (store.bytes > 0) remainingBytes -= store.reclaim(remainingBytes)
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
      // The store calls back here as it evicts, and then finds no excess left.
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

    function refuse(requestedBytes: number, taken: 'retry' | 'too_large'): Taken {
      onRefuse?.({ purpose, bytes: requestedBytes, taken, use: useOf() })
      return taken
    }
    return {
      get bytes() {
        return bytes
      },
      take(requestedBytes) {
        if (isOver) return 'retry'
        if (requestedBytes <= 0) return 'taken'
        if (missing(owner, requestedBytes) > 0) {
          const max = Math.floor((total * SHARE) / (SHARE + 1))
          if (bytes + requestedBytes > max) return refuse(requestedBytes, 'too_large')
          reclaim(missing(owner, requestedBytes))
          if (missing(owner, requestedBytes) > 0) return refuse(requestedBytes, 'retry')
        }
        bytes += requestedBytes
        addOf(owner, purpose, requestedBytes)
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
