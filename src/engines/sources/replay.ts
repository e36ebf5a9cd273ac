/**
 * Recorded tokens, played back. docs/command-line.md shows how a recording is made.
 *
 * @packageDocumentation
 */

import type { StreamEnd, TokenChunk } from '../../core/tokens/token-source.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aSignal, that } from '../../shared/options/checks.js'
import { sleep } from '../../shared/system/sleep.js'
import type { TokenFixture } from './token-fixture.js'

export {
  type FixtureChunk,
  type FixtureSetup,
  parseTokenFixture,
  readTokenFixture,
  type TokenFixture,
} from './token-fixture.js'

/** Options of {@link replay}. */
export interface ReplayOptions {
  /** How long to wait between two chunks, in milliseconds. Default 0: no timer. */
  readonly delayMs?: number
  /** Stops the replay, even while it waits: the source throws the signal's reason, as an engine would. */
  readonly signal?: AbortSignal
}

const REPLAY_OPTIONS: OptionTable<ReplayOptions> = {
  // setTimeout treats values outside this range as 1 ms.
  delayMs: that(
    (value) => Number.isFinite(value) && (value as number) >= 0 && (value as number) < 2 ** 31,
    'a number of milliseconds from 0 to 2147483647',
  ),
  signal: aSignal,
}

/**
 * A source that yields a token fixture's chunks, exactly as they were captured.
 *
 * @returns the fixture's `end`
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { collectResponse, translate } from 'harmony-responses'
 * import { readTokenFixture, replay } from 'harmony-responses/sources/replay'
 *
 * const fixture = readTokenFixture(json)
 * const response = await collectResponse(translate(replay(fixture), { request }))
 * console.log(response.status) // completed
 * ```
 */
export function replay(
  fixture: TokenFixture,
  options: ReplayOptions = {},
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  check(Array.isArray(Object(fixture).tokens), 'replay', 'a token fixture', fixture, 'bad_fixture')
  checkOptions('replay', options, REPLAY_OPTIONS)
  const { delayMs = 0 } = options
  return chunksOf(fixture, { ...options, delayMs })
}

async function* chunksOf(
  fixture: TokenFixture,
  { delayMs, signal }: ReplayOptions & { readonly delayMs: number },
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  for (const [index, chunk] of fixture.tokens.entries()) {
    if (delayMs > 0 && index > 0) await sleep(delayMs, signal)
    signal?.throwIfAborted()
    yield chunk
  }
  return fixture.end
}
