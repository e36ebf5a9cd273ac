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

/** All who look at events of a type, whoever needs them. */
function listenersTo(type: string): Listeners {
  const kind = kindOf(type)
  return { kind, places: INVARIANTS.flatMap(({ on }, place) => (on === undefined || on(kind) ? [place] : [])) }
}

function neededBy(profile: Profile, { kind, places }: Listeners): Listeners {
  return { kind, places: places.filter((place) => INVARIANTS[place]?.neededBy.includes(profile)) }
}

// Asked once for each type: to ask each invariant at each event takes longer than all that they have to say.
const TO_ALL = EVENT_TYPES.map(listenersTo)

const KNOWN: ReadonlyMap<Profile, ReadonlyMap<string, Listeners>> = new Map(
  PROFILES.map((profile) => [profile, new Map(TO_ALL.map((all) => [all.kind.type, neededBy(profile, all)]))]),
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
    const listeners = neededBy(this.#profile, listenersTo(type))
    if (this.#others.size < OTHERS) this.#others.set(type, listeners)
    return listeners
  }
}
