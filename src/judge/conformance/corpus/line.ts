import type { Fields } from '../../../shared/fields.js'
import { CHAT_FAMILIES } from '../chat/damage/index.js'
import { CHAT_PROFILES, type ChatProfile } from '../chat/invariant.js'
import { checkEvents } from '../check.js'
import type { Family } from '../damage/family.js'
import { FAMILIES } from '../damage/index.js'
import { type ExplainedClient, explain } from '../explain.js'
import { PROFILES, type Profile } from '../invariant.js'
import { MESSAGES_FAMILIES } from '../messages/damage/index.js'
import { MESSAGES_PROFILES, type MessagesProfile } from '../messages/invariant.js'
import type { AnyProfile } from '../profiles.js'
import type { StreamEvent } from '../stream-event.js'
import type { StreamChunk } from '../violation.js'

/** The version of the form of a line. Raised when readers of the previous version cannot read it. */
export const CORPUS_VERSION = 2

/** A good stream, from which a corpus is made. */
export interface CorpusStream<Event = StreamEvent> {
  /** Its origin: `fixture two-calls`. */
  readonly name: string
  readonly events: readonly Event[]
}

/** A profile's verdict on a stream. */
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
  /** For a client's profile: its user's view, in a sentence. */
  readonly explanation?: string
}

/** A line of the corpus. */
export interface CorpusLine<Event = StreamEvent, Of extends string = Profile> {
  readonly corpus: typeof CORPUS_VERSION
  /** Unique in a corpus. The same stream has the same in the next version. */
  readonly id: string
  /** The good stream that it is or was derived from. */
  readonly stream: string
  /** The kind of mistake in it; null if it is good. */
  readonly family: string | null
  /** The mistake, in a few words; null if it is good. */
  readonly damage: string | null
  /** The number of the first event at fault; null if it is good. */
  readonly at: number | null
  readonly events: readonly Event[]
  readonly says: Readonly<Record<Of, ProfileVerdict>>
}

/** The streams of one API: its judge, and the mistakes of its servers. */
export interface CorpusApi<Event, Of extends string> {
  readonly profiles: readonly Of[]
  readonly families: readonly Family<Event>[]
  /** The client of a profile, as `explain` names it; undefined if it is not that of a client. */
  readonly clientOf: (profile: Of) => ExplainedClient | undefined
}

export const RESPONSES_CORPUS: CorpusApi<StreamEvent, Profile> = {
  profiles: PROFILES,
  families: FAMILIES,
  // Cast: the text after `client:` in a profile is the name of a client.
  clientOf: (profile) =>
    profile.startsWith('client:') ? (profile.slice('client:'.length) as ExplainedClient) : undefined,
}

export const CHAT_CORPUS: CorpusApi<Fields, ChatProfile> = {
  profiles: CHAT_PROFILES,
  families: CHAT_FAMILIES,
  clientOf: (profile) => (profile === 'chat' ? undefined : profile),
}

export const MESSAGES_CORPUS: CorpusApi<Fields, MessagesProfile> = {
  profiles: MESSAGES_PROFILES,
  families: MESSAGES_FAMILIES,
  clientOf: (profile) => (profile === 'messages' ? undefined : profile),
}

/** The maximum number of a profile's errors that a line names. */
export const MAX_ERRORS = 10

/** Longer streams only make a corpus larger. */
const MAX_EVENTS = 120

/** The number of streams that are damaged: the others contain nothing new. */
const MAX_DAMAGED = 24

/**
 * The lines of a corpus: each good stream, then each known way in which a stream is wrong, once. The same streams give
 * the same lines.
 */
export function* corpusLines<Event extends Fields, Of extends AnyProfile>(
  api: CorpusApi<Event, Of>,
  streams: readonly CorpusStream<Event>[],
): Generator<CorpusLine<Event, Of>> {
  for (const { name, events } of streams) {
    yield lineOf(api, { id: `good/${slug(name)}`, stream: name, family: null, damage: null, at: null, events })
  }
  const short = streams.filter(({ events }) => events.length <= MAX_EVENTS).slice(0, MAX_DAMAGED)
  for (const family of api.families) {
    const known = new Set<string>()
    for (const [number, { name, events }] of short.entries()) {
      const other = short[(number + 1) % short.length] as CorpusStream<Event>
      const good = JSON.stringify(events)
      for (const damage of family.damages(events, other.events)) {
        if (known.has(damage.how) || JSON.stringify(damage.events) === good) continue
        known.add(damage.how)
        const id = `${slug(family.name)}/${slug(damage.how)}`
        yield lineOf(api, {
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

function lineOf<Event extends Fields, Of extends AnyProfile>(
  api: CorpusApi<Event, Of>,
  line: Omit<CorpusLine<Event, Of>, 'corpus' | 'says'>,
): CorpusLine<Event, Of> {
  // As a reader of the corpus gets it: without undefined fields.
  const events: readonly Event[] = JSON.parse(JSON.stringify(line.events))
  // Cast: a damage may leave any value in place of an event or a chunk, and the judge accepts any.
  const judged = events as readonly unknown[] as readonly StreamChunk[]
  const says = Object.fromEntries(api.profiles.map((profile) => [profile, verdictOf(api, judged, profile)]))
  return { corpus: CORPUS_VERSION, ...line, events, says: says as Record<Of, ProfileVerdict> }
}

function verdictOf<Event extends Fields, Of extends AnyProfile>(
  { clientOf }: CorpusApi<Event, Of>,
  events: readonly StreamChunk[],
  profile: Of,
): ProfileVerdict {
  const client = clientOf(profile)
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
