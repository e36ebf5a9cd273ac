import { type EventKind, kindOf } from './event-kind.js'
import { PROFILES, type Profile } from './invariant.js'
import { INVARIANTS } from './invariants/index.js'
import { EVENT_TYPES } from './schemas/index.js'

/** What an event of some type is, and who looks at it. */
export interface Listeners {
  readonly kind: EventKind
  /** The places of the invariants in `INVARIANTS`, in their order. */
  readonly places: readonly number[]
}

function listenersTo(type: string, profile: Profile): Listeners {
  const kind = kindOf(type)
  const places = INVARIANTS.flatMap(({ neededBy, on }, place) =>
    neededBy.includes(profile) && (on === undefined || on(kind)) ? [place] : [],
  )
  return { kind, places }
}

// Asked once for each type: to ask each invariant at each event takes longer than all that they have to say.
const KNOWN: ReadonlyMap<Profile, ReadonlyMap<string, Listeners>> = new Map(
  PROFILES.map((profile) => [profile, new Map(EVENT_TYPES.map((type) => [type, listenersTo(type, profile)]))]),
)

/** So many types that nobody knows are remembered: those of a server's own, and no list that grows with the stream. */
const OTHERS = 100

/** Who looks at the events of one stream. */
export class StreamListeners {
  readonly #profile: Profile
  readonly #known: ReadonlyMap<string, Listeners> | undefined
  readonly #others = new Map<string, Listeners>()

  constructor(profile: Profile) {
    this.#profile = profile
    this.#known = KNOWN.get(profile)
  }

  of(type: string): Listeners {
    const known = this.#known?.get(type) ?? this.#others.get(type)
    if (known !== undefined) return known
    const listeners = listenersTo(type, this.#profile)
    if (this.#others.size < OTHERS) this.#others.set(type, listeners)
    return listeners
  }
}
