import { checkEvents } from '../check.js'
import { CLIENTS } from '../clients/names.js'
import { FAMILIES } from '../damage/index.js'
import { explain } from '../explain.js'
import { PROFILES, type Profile } from '../invariant.js'
import type { StreamEvent } from '../stream-event.js'

/** The version of the form of a line. Raised when a reader of the one before would not understand it. */
export const CORPUS_VERSION = 1

/** A good stream to make a corpus of. */
export interface CorpusStream {
  /** What it is made of: `fixture two-calls`. */
  readonly name: string
  readonly events: readonly StreamEvent[]
}

/** What a profile has to say of a stream. */
export interface ProfileVerdict {
  /** Whether it has no error. */
  readonly ok: boolean
  /** Its errors, in the order of the stream; only the first {@link MAX_ERRORS}. */
  readonly errors: readonly {
    readonly rule: string
    readonly position: number
    readonly expected: string
    readonly got: string
    readonly fault: string
  }[]
  /** Of a client's profile: what its user sees, in a sentence. */
  readonly explanation?: string
}

/** A line of the corpus. */
export interface CorpusLine {
  readonly corpus: typeof CORPUS_VERSION
  /** Unique in a corpus. The same stream has the same in the next version. */
  readonly id: string
  /** The good stream that it is, or was made of. */
  readonly stream: string
  /** The kind of mistake in it; null if it is good. */
  readonly family: string | null
  /** The mistake, in a few words; null if it is good. */
  readonly damage: string | null
  /** The number of the first event at fault; null if it is good. */
  readonly at: number | null
  readonly events: readonly StreamEvent[]
  readonly says: Readonly<Record<Profile, ProfileVerdict>>
}

/** How many errors of a profile a line names. */
export const MAX_ERRORS = 10

/** Longer streams only make a corpus larger. */
const MOST_EVENTS = 120

/** So many of the streams are damaged: the others have nothing that these have not. */
const MOST_DAMAGED = 24

/**
 * The lines of a corpus: each good stream, then each known way in which a stream is wrong, once. The same streams give
 * the same lines.
 */
export function* corpusLines(streams: readonly CorpusStream[]): Generator<CorpusLine> {
  for (const { name, events } of streams) {
    yield lineOf({ id: `good/${slug(name)}`, stream: name, family: null, damage: null, at: null, events })
  }
  const short = streams.filter(({ events }) => events.length <= MOST_EVENTS).slice(0, MOST_DAMAGED)
  for (const family of FAMILIES) {
    const known = new Set<string>()
    for (const [number, { name, events }] of short.entries()) {
      const other = short[(number + 1) % short.length] as CorpusStream
      const good = JSON.stringify(events)
      for (const damage of family.damages(events, other.events)) {
        if (known.has(damage.how) || JSON.stringify(damage.events) === good) continue
        known.add(damage.how)
        const id = `${slug(family.name)}/${slug(damage.how)}`
        yield lineOf({
          id,
          stream: name,
          family: family.name,
          damage: damage.how,
          at: damage.at,
          events: damage.events,
        })
      }
    }
  }
}

function lineOf(line: Omit<CorpusLine, 'corpus' | 'says'>): CorpusLine {
  const says = Object.fromEntries(PROFILES.map((profile) => [profile, verdictOf(line.events, profile)]))
  return { corpus: CORPUS_VERSION, ...line, says: says as Record<Profile, ProfileVerdict> }
}

function verdictOf(events: readonly StreamEvent[], profile: Profile): ProfileVerdict {
  const client = CLIENTS.find((name) => profile === `client:${name}`)
  const explained = client === undefined ? undefined : explain(events, client)
  const found = explained?.errors ?? checkEvents(events, { profile })
  const errors = found.filter(({ severity }) => severity === 'error')
  const named = errors
    .slice(0, MAX_ERRORS)
    .map(({ rule, position, expected, got, fault }) => ({ rule, position, expected, got, fault }))
  const verdict = { ok: errors.length === 0, errors: named }
  return explained === undefined ? verdict : { ...verdict, explanation: explained.text }
}

/** A text as a part of an id. */
const slug = (text: string): string => text.replace(/[^A-Za-z0-9_.]+/g, '-').replace(/^-|-$/g, '')
