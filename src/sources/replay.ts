import { check } from '../errors.js'
import type { StreamEnd, TokenChunk } from '../tokens/token-source.js'
import { sleep } from './sleep.js'
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

/**
 * A source that yields a token fixture's chunks, exactly as they were captured.
 *
 * @returns the fixture's `end`
 * @throws HarmonyResponsesError `bad_option`
 */
export function replay(
  fixture: TokenFixture,
  options: ReplayOptions = {},
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  const { delayMs = 0 } = options
  // setTimeout treats values outside this range as 1 ms.
  const isDelay = Number.isFinite(delayMs) && delayMs >= 0 && delayMs < 2 ** 31
  check(isDelay, 'delayMs', 'a number of milliseconds from 0 to 2147483647', delayMs)
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
