import type { ResponseStreamEvent } from '../../core/responses/events.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aText, listOf, oneOf, that } from '../../shared/options/checks.js'
import { API_NAMES } from './api.js'
import { judgeOf } from './judges.js'
import { ALL_PROFILES, type AnyProfile } from './profiles.js'
import type { StreamEvent } from './stream-event.js'
import { checkList } from './stream-list.js'
import { type Checker, type StreamChunk, type Violation, violationsOf } from './violation.js'

export type { Checker, Violation } from './violation.js'

/** Options of `checkEvents` and `createChecker`. */
export interface CheckOptions {
  /** The standard for the stream: a `Profile` of the Responses API, or one of another API. Default `openai`. */
  readonly profile?: AnyProfile
  /**
   * The ids of rules of the profile's API to skip. Skipping `event-shape` and `event-keys`, which validate each event against its schema,
   * halves the time.
   */
  readonly without?: readonly string[]
  /**
   * The stream is the rest of an interrupted one, as `GET /responses/{id}?stream=true&starting_after=N` returns it: it
   * continues after the event with this sequence_number, or (`true`) after any event. Items may already be open.
   * Default false.
   */
  readonly resumed?: boolean | number
}

export const CHECK_OPTIONS: OptionTable<CheckOptions> = {
  profile: oneOf(...ALL_PROFILES),
  // The profile determines the valid ids.
  without: listOf(aText, 'a list of ids of rules'),
  resumed: that(
    (value) => typeof value === 'boolean' || (Number.isInteger(value) && (value as number) >= 0),
    'true, false or a sequence_number',
  ),
}

/**
 * Creates a checker for one stream: constant work per event, and memory for open items only.
 *
 * @throws HarmonyResponsesError `bad_option` if an option has the wrong type, or `without` has an unknown id.
 *
 * @example
 * ```ts
 * import { createChecker } from 'harmony-responses/conformance'
 *
 * const checker = createChecker({ profile: 'client:codex' })
 * for await (const event of stream) for (const violation of checker.push(event)) console.error(violation)
 * for (const violation of checker.end()) console.error(violation)
 * ```
 */
export function createChecker(options: CheckOptions = {}): Checker {
  return createCheckerOf('createChecker', options)
}

/** @param where - the called function, for messages */
export function createCheckerOf(where: string, options: CheckOptions): Checker {
  return checkerMaker(where, options)()
}

/**
 * Returns a function that creates a checker for each of many streams. The options are checked only once, since that
 * takes as long as checking a short stream.
 *
 * @param where - the called function, for messages
 */
export function checkerMaker(where: string, options: CheckOptions): () => Checker {
  checkOptions(where, options, CHECK_OPTIONS)
  const { profile = 'openai', without = [], resumed = false } = options
  const { ids, rulesName, api, resumes, checkers } = judgeOf(profile)
  check(resumes || resumed === false, 'resumed', `false: no stream of ${API_NAMES[api]} is resumed`, resumed)
  for (const id of without) check(ids.has(id), 'without', `ids of ${rulesName}`, id)
  return checkers(profile, without, resumed)
}

/**
 * Checks a captured stream. See {@link createChecker}.
 *
 * @example
 * ```ts
 * import { checkEvents } from 'harmony-responses/conformance'
 *
 * for (const { rule, expected, got } of checkEvents(events.slice(1), { profile: 'client:codex' })) {
 *   console.log(`${rule}: expected ${expected}, got ${got}`)
 * }
 * ```
 */
export function checkEvents(
  events: Iterable<StreamEvent | ResponseStreamEvent | StreamChunk>,
  options: CheckOptions = {},
): Violation[] {
  checkList('checkEvents', events)
  return [...violationsOf(createCheckerOf('checkEvents', options), events)]
}
