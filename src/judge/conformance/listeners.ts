import { type EventKind, eventKindOf } from './event-kind.js'
import type { Profile } from './invariant.js'
import { INVARIANTS } from './invariants/index.js'
import { EVENT_TYPES } from './schemas/index.js'

/** The kind of an event type, and the rules that check its events. */
export interface Listeners {
  readonly kind: EventKind
  /** The indexes of the rules in `INVARIANTS`, in ascending order. */
  readonly indexes: readonly number[]
}

/** The rules that check events themselves, with their indexes: readers and models check the others. */
const CHECKING = INVARIANTS.map(({ on, begin }, index) => ({ on, index, begin })).filter(
  ({ begin }) => begin().event !== undefined,
)

/** All rules that check events of a type, for any profile. */
function listenersTo(type: string): Listeners {
  const kind = eventKindOf(type)
  return { kind, indexes: CHECKING.filter(({ on }) => on === undefined || on(kind)).map(({ index }) => index) }
}

function neededBy(profile: Profile, { kind, indexes }: Listeners): Listeners {
  return { kind, indexes: indexes.filter((index) => INVARIANTS[index]?.neededBy.includes(profile)) }
}

/**
 * Of the known types, by profile. Each is computed once: asking every rule at every event would take longer than the
 * checks themselves, and asking for all of them at the start as long as the check of a small file.
 */
const KNOWN = new Map<Profile, Map<string, Listeners>>()
const KNOWN_TYPES: ReadonlySet<string> = new Set(EVENT_TYPES)

/** The limit for remembered unknown types, so that a stream of random types does not fill the memory. */
const MAX_UNKNOWN_TYPES = 100

/** Finds the rules that check the events of one stream. */
export class StreamListeners {
  readonly #profile: Profile
  readonly #known: Map<string, Listeners>
  readonly #others = new Map<string, Listeners>()

  constructor(profile: Profile) {
    this.#profile = profile
    this.#known = KNOWN.get(profile) ?? new Map()
    KNOWN.set(profile, this.#known)
  }

  of(type: string): Listeners {
    const known = this.#known.get(type) ?? this.#others.get(type)
    if (known !== undefined) return known
    const listeners = neededBy(this.#profile, listenersTo(type))
    if (KNOWN_TYPES.has(type)) this.#known.set(type, listeners)
    else if (this.#others.size < MAX_UNKNOWN_TYPES) this.#others.set(type, listeners)
    return listeners
  }
}
