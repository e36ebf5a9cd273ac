/**
 * Records the tokens of a source, to be played back.
 *
 * @packageDocumentation
 */

import { withoutSecrets } from '../../core/response-object/without-secrets.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import { type ChunkStep, iterateSource } from '../../core/tokens/iterate-source.js'
import type { HarmonyToken, StreamEnd, TokenChunk, TokenSource } from '../../core/tokens/token-source.js'
import { closable, createWaiter } from '../../shared/closable.js'
import { check, isIterable } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, anObject, aText } from '../../shared/options/checks.js'
import type { FixtureChunk, FixtureSetup, TokenFixture } from './token-fixture.js'

export type { FixtureChunk, FixtureSetup, TokenFixture } from './token-fixture.js'

/** The description of a recording. */
export interface RecordingInfo {
  /** The name of the fixture, for people. */
  readonly name: string
  /** Where the tokens come from: engine, model, version. */
  readonly origin?: string
  /** The request that is answered. The fixture omits its input and the secrets of its tools: a replay needs neither. */
  readonly request?: ResponseRequest
  /** The translator's options besides the request. */
  readonly setup?: FixtureSetup
}

const RECORDING_ABOUT: OptionTable<RecordingInfo> = {
  name: aText,
  origin: aText,
  request: anObject,
  setup: anObject,
}

/**
 * Records a source: passes everything through unchanged, and calls the sink once with a token fixture, however the
 * stream ends. The fixture has everything up to an error or an early stop; `replay` plays it back.
 *
 * The end of the stream waits for the sink and throws the sink's error, unless the source itself failed: then it throws
 * the source's error.
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { record } from 'harmony-responses/sources/record'
 *
 * const recorded = record(tokens, (fixture) => save(JSON.stringify(fixture)), { name: 'greeting' })
 * for await (const event of translate(recorded, { request })) send([event])
 * ```
 */
export function record(
  source: TokenSource,
  sink: (fixture: TokenFixture) => void | Promise<void>,
  about: RecordingInfo = { name: 'recording' },
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  check(isIterable(source), 'record: source', 'a token source', source)
  aFunction(sink, 'record: sink')
  checkOptions('record', about, RECORDING_ABOUT, ['name'])
  const chunks = iterateSource(source)
  const request = about.request && withoutSecrets(about.request)
  const tokens: FixtureChunk[] = []
  const waiter = createWaiter()
  let isOver = false

  async function handOver(end?: StreamEnd): Promise<void> {
    isOver = true
    const { name, origin, setup } = about
    await sink({
      version: 1,
      name,
      ...(origin === undefined ? {} : { origin }),
      ...(request === undefined ? {} : { request }),
      ...(setup === undefined ? {} : { setup }),
      tokens,
      ...(end === undefined ? {} : { end }),
    })
  }

  /** Calls the sink without waiting for the source, because a source that hangs never closes. */
  async function close(): Promise<void> {
    if (isOver) return
    waiter.interrupt()
    const closing = (async () => void (await chunks.return?.()))()
    await Promise.all([handOver(), closing])
  }

  async function nextStep(): Promise<ChunkStep | undefined> {
    try {
      return await waiter.wait(chunks.next())
    } catch (error) {
      if (!isOver) await handOver().catch(() => {})
      throw error
    }
  }

  async function* read(): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
    while (!isOver) {
      const step = await nextStep()
      if (step === undefined || isOver) break
      if (step.done) {
        await handOver(step.value)
        return step.value
      }
      tokens.push(copyChunk(step.value))
      yield step.value
    }
    return undefined
  }

  return closable(read(), close)
}

/** A copy of a chunk, because the caller may reuse its array. An invalid chunk is recorded as it is. */
function copyChunk(chunk: TokenChunk): FixtureChunk {
  if (typeof chunk !== 'object' || chunk === null) return chunk
  if (chunk instanceof Uint32Array) return [...chunk]
  if (isList(chunk)) return chunk.map(copyToken)
  if (!('host' in chunk)) return copyToken(chunk)
  const { host } = chunk
  if (typeof host !== 'object' || host === null) return { host }
  return { host: 'author' in host ? { ...host } : [...host] }
}

function copyToken(token: HarmonyToken): HarmonyToken {
  if (typeof token !== 'object' || token === null) return token
  const { topLogprobs } = token
  return { ...token, ...(topLogprobs && { topLogprobs: topLogprobs.map((top) => ({ ...top })) }) }
}

function isList(chunk: TokenChunk): chunk is readonly HarmonyToken[] {
  return Array.isArray(chunk)
}
