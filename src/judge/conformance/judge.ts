import type { Api } from './api.js'
import type { RuleCauses } from './causes.js'
import type { Explanation } from './explanation.js'
import type { Invariant } from './invariant.js'
import type { FramingRead } from './read/stream-read.js'
import type { Checker, StreamChunk, Violation } from './violation.js'

/** What a rule for the framing of a stream says of each violation. */
export interface FramingRule extends Pick<Violation, 'severity'> {
  readonly id: string
  readonly fault?: 'model'
}

/** A rule of any API. */
export interface JudgedRule extends RuleCauses, Pick<Invariant, 'id' | 'sentence' | 'severity'> {
  readonly neededBy: readonly string[]
}

/**
 * How the streams of an API are judged. Each profile and client is one of its own: a record of a judge is asked about no other.
 */
export interface Judge {
  readonly api: Api
  /** The API itself first, then its clients. */
  readonly profiles: readonly string[]
  /** All its rules, and the name under which the package exports them. */
  readonly rules: readonly JudgedRule[]
  readonly rulesName: string
  /** Whether a stream may be the rest of an interrupted one. */
  readonly resumes: boolean
  /** Its clients, as `explain` names them. */
  readonly clients: readonly string[]
  /** Returns a function that creates a checker for each of many streams. */
  checkers(profile: string, without: readonly string[], resumed: boolean | number): () => Checker
  /** The rule for a violation of framing that the capture reader found, if the profile needs it. */
  framing(read: FramingRead, profile: string): FramingRule | undefined
  explain(events: Iterable<StreamChunk>, client: string): Explanation
}

/** A judge as its API writes it, with its own names of profiles and clients. */
export interface JudgeOf<Profile extends string, Client extends string> {
  readonly profiles: readonly Profile[]
  /** By the names that `explain` knows them by. */
  readonly clients: Readonly<Record<string, Client>>
  checkers(profile: Profile, without: readonly string[], resumed: boolean | number): () => Checker
  framing(read: FramingRead, profile: Profile): FramingRule | undefined
  explain(events: Iterable<StreamChunk>, client: Client): Explanation
}

/** Makes a judge of what its API writes: `judgeOf` finds it by its profiles, and `explain` by its clients. */
export function judge<Profile extends string, Client extends string>(
  facts: Pick<Judge, 'api' | 'rules' | 'rulesName' | 'resumes'>,
  own: JudgeOf<Profile, Client>,
): Judge {
  return {
    ...facts,
    profiles: own.profiles,
    clients: Object.keys(own.clients),
    // The casts: it is asked about its own profiles and clients alone.
    checkers: (profile, without, resumed) => own.checkers(profile as Profile, without, resumed),
    framing: (read, profile) => own.framing(read, profile as Profile),
    explain: (events, client) => own.explain(events, own.clients[client] as Client),
  }
}
