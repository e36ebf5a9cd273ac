import { HarmonyResponsesError } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { StreamEnd, TokenChunk, TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { checkOptions, describe, type TranslateOptions } from './options.js'
import { Translator } from './translator.js'

type Step = IteratorResult<TokenChunk, StreamEnd | undefined>

/** A source that is being read. */
interface Reader {
  /** The next chunk; undefined once the signal has aborted, without waiting for the source. */
  next(): Promise<Step | undefined>
  /** Closes the source, once. */
  close(): void
}

/**
 * Pulls a source through a {@link Translator}: the events of each chunk as one array, never empty. The source is read
 * only as fast as batches are taken, and closed as soon as nobody wants more: at the end, on abort (at once, even while
 * it is being waited for), and when the consumer stops.
 *
 * A source that throws ends the stream with `error` and `response.failed`; the generator itself does not throw.
 *
 * @param loadTokenTable - asked for the token table where the options bring none
 * @returns after the terminal event, the response
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 */
export function translateBatches(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent[], Response> {
  checkOptions(options)
  checkSource(source)
  return pull(source, options, loadTokenTable)
}

/** One event at a time of what comes in batches. */
export async function* flatten(
  batches: AsyncGenerator<ResponseStreamEvent[], Response>,
): AsyncGenerator<ResponseStreamEvent, Response> {
  try {
    for (;;) {
      const { done, value } = await batches.next()
      if (done) return value
      for (const event of value) yield event
    }
  } finally {
    // A consumer that stops reading closes the source.
    await batches.return(undefined as never)
  }
}

async function* pull(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable: (() => Promise<TokenTable>) | undefined,
): AsyncGenerator<ResponseStreamEvent[], Response> {
  const tokenTable = options.tokenTable ?? (await loadTokenTable?.())
  const translator = new Translator(tokenTable === undefined ? options : { ...options, tokenTable })
  const reader = read(source, options.signal)
  try {
    yield translator.start()
    yield* translateChunks(translator, reader)
    return translator.response
  } finally {
    reader.close()
  }
}

async function* translateChunks(translator: Translator, reader: Reader): AsyncGenerator<ResponseStreamEvent[], void> {
  for (;;) {
    let events: ResponseStreamEvent[]
    let isOver = true
    try {
      const step = await reader.next()
      if (step === undefined) events = translator.abort()
      else if (step.done) {
        if (step.value?.usage !== undefined) translator.addUsage(step.value.usage)
        events = translator.end(step.value?.reason)
      } else {
        events = translator.push(step.value)
        isOver = false
      }
    } catch (error) {
      events = translator.fail({ message: error instanceof Error ? error.message : String(error) })
    }
    if (events.length > 0) yield events
    if (isOver) return
  }
}

function read(source: TokenSource, signal: AbortSignal | undefined): Reader {
  const chunks: AsyncIterator<TokenChunk> | Iterator<TokenChunk> =
    typeof source === 'string'
      ? [source as string].values()
      : Symbol.asyncIterator in source
        ? source[Symbol.asyncIterator]()
        : source[Symbol.iterator]()
  let isClosed = false
  let wake: (() => void) | undefined

  const close = (): void => {
    signal?.removeEventListener('abort', abort)
    if (isClosed) return
    isClosed = true
    // Not awaited: a generator that waits for its engine answers only when the engine does.
    void Promise.resolve()
      .then(() => chunks.return?.())
      .catch(() => {})
  }
  const abort = (): void => {
    close()
    wake?.()
  }
  signal?.addEventListener('abort', abort, { once: true })

  return {
    close,
    async next() {
      if (signal === undefined) return (await chunks.next()) as Step
      if (signal.aborted) {
        close()
        return undefined
      }
      // A promise of our own per chunk: racing one long-lived promise would keep a reaction for every chunk alive.
      return new Promise<Step | undefined>((resolve, reject) => {
        wake = () => resolve(undefined)
        Promise.resolve(chunks.next()).then((step) => resolve(step as Step), reject)
      })
    },
  }
}

function checkSource(source: unknown): void {
  if (typeof source === 'string') return
  if (typeof source === 'object' && source !== null && (Symbol.asyncIterator in source || Symbol.iterator in source))
    return
  throw new HarmonyResponsesError(
    'bad_option',
    `source: expected an iterable or async iterable of token chunks, got ${describe(source)}`,
  )
}
