import { closable, createWaiter } from '../closable.js'
import type { ResponseRequest } from '../responses/request.js'
import type { HarmonyToken, StreamEnd, TokenChunk, TokenSource } from '../tokens/token-source.js'
import { withoutSecrets } from '../translate/without-secrets.js'
import type { FixtureChunk, FixtureSetup, TokenFixture } from './token-fixture.js'

export type { FixtureChunk, FixtureSetup, TokenFixture } from './token-fixture.js'

/** What a recording says about itself. */
export interface RecordingAbout {
  readonly name: string
  /** Where the tokens come from: engine, model, version. */
  readonly origin?: string
  /** The request that is answered. Only what a replay needs is written down: no input, and no tool's secrets. */
  readonly request?: ResponseRequest
  /** What the translator is given beside the request. */
  readonly setup?: FixtureSetup
}

/**
 * The same source, recorded: passes everything through undisturbed, and hands the sink a token fixture once, however
 * the stream ended. What came before an error or an early stop is in it; `replay` gives it back.
 *
 *     translate(record(engine, (fixture) => writeFile(path, JSON.stringify(fixture)), { name }), { request })
 *
 * The stream's end waits for the sink. What the sink throws is thrown there, but never in the place of the source's
 * own error.
 */
export function record(
  source: TokenSource,
  sink: (fixture: TokenFixture) => void | Promise<void>,
  about: RecordingAbout = { name: 'recording' },
): AsyncGenerator<TokenChunk, StreamEnd | undefined> {
  const chunks = iterate(source)
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

  /** The sink does not wait for the source: one that is stuck never answers. */
  async function close(): Promise<void> {
    if (isOver) return
    waiter.interrupt()
    const closing = (async () => void (await chunks.return?.()))()
    await Promise.all([handOver(), closing])
  }

  async function nextStep(): Promise<Step | undefined> {
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

type Step = IteratorResult<TokenChunk, StreamEnd | undefined>
type Chunks = AsyncIterator<TokenChunk, StreamEnd | undefined> | Iterator<TokenChunk, StreamEnd | undefined>

/** A string is one chunk, as it is to `translate`. */
function iterate(source: TokenSource): Chunks {
  if (typeof source === 'string') return [source as string].values()
  return (Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()) as Chunks
}

/** A chunk as data of our own: a caller may fill its array again. What is no chunk at all is kept as it is. */
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
