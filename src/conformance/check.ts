import { check } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import { type About, aboutOf } from './about.js'
import { modelFor } from './clients/index.js'
import { ClientRun } from './clients/run.js'
import { type Invariant, PROFILES, type Profile, type Tell } from './invariant.js'
import { INVARIANTS } from './invariants/index.js'
import { StreamListeners } from './listeners.js'
import { shown } from './shown.js'
import { isFields, type StreamEvent } from './stream-event.js'
import { StreamState } from './stream-state.js'

/** Where a stream is not as an invariant says. */
export interface Violation {
  /** The invariant's id. */
  readonly rule: string
  readonly severity: Invariant['severity']
  /** Whose doing it is: what a `model` wrote breaks clients, too, but no server can mend it. */
  readonly fault: 'server' | 'model'
  /** The number of the event, from 0; the number of all events where something is missing at the end. */
  readonly position: number
  /** The event's type; absent at the end. */
  readonly type?: string
  readonly expected: string
  /** What came instead: the value as JSON, shortened to 80 characters, or words. */
  readonly got: string
  /** The item or part that it is about. Absent where it is about the whole stream. */
  readonly about?: About
}

export interface CheckOptions {
  /** Whom the stream is held against. Default `openai`. */
  readonly profile?: Profile
  /**
   * The ids of invariants to leave out. Without `event-shape` and `event-keys`, which hold each event against its
   * schema, the others take half the time.
   */
  readonly without?: readonly string[]
  /**
   * The stream begins after its beginning, as `GET /responses/{id}?stream=true&starting_after=N` answers: after the
   * event of this sequence_number, or (`true`) after any. Items may be open already. Default false.
   */
  readonly resumed?: boolean | number
}

/** Checks one live stream. */
export interface Checker {
  /** Takes the next event, and tells what is wrong with it. */
  push(event: StreamEvent | ResponseStreamEvent): Violation[]
  /** The stream is over: tells what is missing. */
  end(): Violation[]
}

/**
 * A checker for one stream, event by event: constant work for each, and memory for what is open.
 *
 *     const checker = createChecker({ profile: 'client:codex' })
 *     for await (const event of events) for (const violation of checker.push(event)) console.error(violation)
 *     for (const violation of checker.end()) console.error(violation)
 *
 * @throws HarmonyResponsesError `bad_option` where an option is not what its type says, or `without` names no invariant.
 */
export function createChecker(options: CheckOptions = {}): Checker {
  const { profile = 'openai', without = [], resumed = false } = options
  check(NEEDED.has(profile), 'profile', ONE_PROFILE, profile)
  check(Array.isArray(without), 'without', 'a list of ids of INVARIANTS', without)
  for (const id of without) check(PLACES.has(id), 'without', 'ids of INVARIANTS', id)
  const isPlace = typeof resumed === 'boolean' || (Number.isInteger(resumed) && resumed >= 0)
  check(isPlace, 'resumed', 'true, false or a sequence_number', resumed)

  const reading = new StreamState(resumed)
  const listeners = new StreamListeners(profile)
  /** By the places of the invariants. */
  const needed = NEEDED.get(profile) as readonly boolean[]
  const checks = INVARIANTS.map(({ id, begin }, place) =>
    needed[place] && !without.includes(id) ? begin() : undefined,
  )
  // Functions side by side: to find each one in an object of its own takes as long as most of them take.
  const looks = checks.map((check) => check?.event)
  let found: Violation[] = []
  /** The event that is looked at; absent at the end. */
  let looked: StreamEvent | undefined
  /** Its type. */
  let type: string | undefined
  /** How many events came, with and without a type. */
  let came = 0
  /** The place of the invariant that looks. */
  let place = 0

  // One for all: a stream may have a million events, and a server as many streams.
  const tell: Tell = (expected, value, words, details) => {
    const { id, severity, fault: usual = 'server' } = INVARIANTS[place] as Invariant
    const of = type === undefined ? {} : { type }
    const about = aboutOf(looked, reading, details?.about)
    const fault = details?.fault ?? usual
    const got = words ?? shown(value)
    const what = { rule: id, severity, fault, position: reading.position, ...of, expected, got }
    found.push(about === undefined ? what : { ...what, about })
  }

  const model = modelFor(profile)
  const run =
    model &&
    new ClientRun(model, (rule, expected, got, words, at) => {
      place = PLACES.get(rule) as number
      if (checks[place] === undefined) return
      tell(expected, got, words)
      // What a client lost is known at the end, and whose doing it is, often too.
      if (at !== undefined) found.push({ ...(found.pop() as Violation), ...at })
    })

  function take(): Violation[] {
    const violations = found
    if (found.length > 0) found = []
    return violations
  }

  return {
    push(given) {
      const event = given as StreamEvent
      reading.position = came++
      looked = undefined
      type = typeof Object(event).type === 'string' ? event.type : undefined
      if (isFields(event)) run?.read(event, reading.count)
      if (type === undefined) {
        // Nothing else can be said of an event without a type.
        place = UNTYPED
        if (checks[place] !== undefined) tell('an event with a type', event)
        return take()
      }
      looked = event
      const { kind, places } = listeners.of(type)
      reading.look(event, kind)
      for (let at = 0; at < places.length; at++) {
        place = places[at] as number
        looks[place]?.(event, reading, tell)
      }
      reading.take(event)
      return take()
    },
    end() {
      reading.position = came
      looked = undefined
      type = undefined
      run?.end()
      for (place = 0; place < checks.length; place++) checks[place]?.end?.(reading, tell)
      return take()
    },
  }
}

const ONE_PROFILE = `one of ${PROFILES.join(', ')}`

/** Which invariants each profile needs, by their places. */
const NEEDED: ReadonlyMap<Profile, readonly boolean[]> = new Map(
  PROFILES.map((profile) => [profile, INVARIANTS.map(({ neededBy }) => neededBy.includes(profile))]),
)

const PLACES: ReadonlyMap<string, number> = new Map(INVARIANTS.map(({ id }, place) => [id, place]))

/** The place of what is said of an event without a type. */
const UNTYPED = INVARIANTS.findIndex(({ id }) => id === 'event-has-type')

/** Checks a captured stream. */
export function checkEvents(
  events: Iterable<StreamEvent | ResponseStreamEvent>,
  options: CheckOptions = {},
): Violation[] {
  const checker = createChecker(options)
  const violations: Violation[] = []
  for (const event of events) violations.push(...checker.push(event))
  return [...violations, ...checker.end()]
}
