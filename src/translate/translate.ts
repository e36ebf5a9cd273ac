import { check, HarmonyResponsesError } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { StreamEnd, TokenChunk, TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { checkOptions, type TranslateOptions } from './options.js'
import { Translator } from './translator.js'

type Step = IteratorResult<TokenChunk, StreamEnd | undefined>

/** A source that is being read. */
interface Reader {
  /** The next chunk, or why there is none: without waiting for the source, which may never answer. */
  next(): Promise<Step | 'aborted' | 'left'>
  /** Nobody wants more: closes the source, once. */
  close(reason?: 'aborted' | 'left'): void
}

/**
 * Pulls a source through a {@link Translator}: the events of each chunk as one array, never empty. The source is read
 * only as fast as batches are taken, and closed as soon as nobody wants more: at the end, on abort and when the consumer
 * stops (at once, even while it is being waited for).
 *
 * A source that throws ends the stream with `error` and `response.failed`; the generator itself does not throw. An
 * error's own `code` goes through where it is one of the API's form (`context_length_exceeded`).
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
  const { [Symbol.asyncIterator]: isAsync, [Symbol.iterator]: isSync } = Object(source)
  check((isAsync ?? isSync) !== undefined, 'source', 'an iterable of chunks', source)
  const reader = read(source, options.signal)
  return leavable(pull(reader, options, loadTokenTable), () => reader.close())
}

/** One event at a time of what comes in batches. */
export function flatten(
  batches: AsyncGenerator<ResponseStreamEvent[], Response>,
): AsyncGenerator<ResponseStreamEvent, Response> {
  return leavable(each(batches), () => void batches.return(undefined as never))
}

async function* each(
  batches: AsyncGenerator<ResponseStreamEvent[], Response>,
): AsyncGenerator<ResponseStreamEvent, Response> {
  for (;;) {
    const batch = await batches.next()
    if (batch.done) return batch.value
    for (const event of batch.value) yield event
  }
}

/**
 * A generator that hears at once when its consumer stops. By itself it would not before the `next()` under way is over,
 * and an engine that nobody listens to would go on.
 */
function leavable<T>(generator: AsyncGenerator<T, Response>, leave: () => void): AsyncGenerator<T, Response> {
  for (const method of ['return', 'throw'] as const) {
    const end = generator[method]
    generator[method] = (value: never) => {
      leave()
      return end.call(generator, value)
    }
  }
  return generator
}

async function* pull(
  reader: Reader,
  options: TranslateOptions,
  loadTokenTable: (() => Promise<TokenTable>) | undefined,
): AsyncGenerator<ResponseStreamEvent[], Response> {
  try {
    const tokenTable = options.tokenTable ?? (await loadTokenTable?.())
    const translator = new Translator({ ...options, ...(tokenTable && { tokenTable }) })
    yield translator.start()
    let isOpen = true
    while (isOpen) {
      let events: ResponseStreamEvent[]
      try {
        const step = await reader.next()
        isOpen = typeof step === 'object' && !step.done
        if (step === 'left') break
        if (step === 'aborted') events = translator.abort()
        else if (!step.done) events = translator.push(step.value)
        else {
          if (step.value?.usage !== undefined) translator.addUsage(step.value.usage)
          events = translator.end(step.value?.reason)
        }
      } catch (error) {
        isOpen = false
        events = translator.fail(failureOf(error))
      }
      if (events.length > 0) yield events
    }
    return translator.response
  } finally {
    reader.close()
  }
}

/** What the stream says of a source's error. Codes of operating systems (`ECONNRESET`) mean nothing to clients. */
function failureOf(error: unknown): { code?: string; message: string } {
  const message = error instanceof Error ? error.message : String(error)
  const { code } = Object(error) as { code?: unknown }
  const isApis = typeof code === 'string' && /^[a-z_]+$/.test(code) && !(error instanceof HarmonyResponsesError)
  return isApis ? { code, message } : { message }
}

function read(source: TokenSource, signal: AbortSignal | undefined): Reader {
  let chunks: AsyncIterator<TokenChunk> | Iterator<TokenChunk> | undefined
  let over: 'aborted' | 'left' | undefined
  let wake: (() => void) | undefined

  const close = (reason: 'aborted' | 'left' = 'left'): void => {
    if (over !== undefined) return
    over = reason
    signal?.removeEventListener('abort', abort)
    wake?.()
    // Also a source that was never read: it may hold an engine all the same.
    // At once, and whatever comes of it may go: an engine that is waited for answers when it is done.
    new Promise((resolve) => resolve((chunks ?? iterate(source)).return?.())).catch(() => {})
  }
  const abort = (): void => close('aborted')
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)

  return {
    close,
    next() {
      // A promise of our own per chunk: racing one long-lived promise would keep a reaction for every chunk alive.
      return new Promise((resolve, reject) => {
        if (over !== undefined) return resolve(over)
        wake = () => resolve(over ?? 'left')
        // Made here and not before: making it may fail, and that is the source's failure.
        chunks ??= iterate(source)
        Promise.resolve(chunks.next() as Step | Promise<Step>).then(resolve, reject)
      })
    },
  }
}

function iterate(source: TokenSource): AsyncIterator<TokenChunk> | Iterator<TokenChunk> {
  if (typeof source === 'string') return [source as string].values()
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}
