import { callSafely } from '../../shared/call-safely.js'
import { closable, createWaiter } from '../../shared/closable.js'
import { check } from '../../shared/errors.js'
import { clientFailure } from '../completion/failure.js'
import type { TranslateOptions } from '../options/options.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import { type ChunkStep, type Chunks, iterateSource } from '../tokens/iterate-source.js'
import type { StreamEnd, TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { Translation } from './translation.js'

type Batch = ResponseStreamEvent[]

/**
 * Pulls a source through a translator; see `translateBatches`.
 *
 * @param valuesOf - returns the values to yield for the events of a chunk, at least one
 */
export function pull<Value>(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable: (() => Promise<TokenTable>) | undefined,
  valuesOf: (events: Batch) => readonly Value[],
): AsyncGenerator<Value, Response> {
  const { signal } = options
  const waiter = createWaiter()
  let chunks: Chunks | undefined
  /** Why reading the source has stopped. */
  let closed: 'aborted' | 'left' | undefined
  /** Whether the source has yielded a chunk. */
  let isFed = false
  /** Whether the terminal event has been emitted. */
  let isEnded = false

  function close(why: 'aborted' | 'left'): void {
    if (closed !== undefined) return
    closed = why
    signal?.removeEventListener('abort', abort)
    waiter.interrupt()
    // A source that was never read is closed too, because it may hold an engine; one that failed to open is not.
    const opened = (): typeof chunks => (isEnded ? chunks : (chunks ?? iterateSource(source)))
    // Not awaited: an engine that is computing a token answers only after it.
    new Promise((resolve) => resolve(opened()?.return?.())).catch(report)
  }
  const abort = (): void => close('aborted')
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)

  async function createTranslation(): Promise<Translation> {
    try {
      const tokenTable = options.tokenTable ?? (await loadTokenTable?.())
      return new Translation({ ...options, ...(tokenTable && { tokenTable }) })
    } catch (error) {
      report(error)
      close('left')
      throw error
    }
  }

  function start(translation: Translation): Batch {
    try {
      return translation.start()
    } catch (error) {
      return fail(translation, error)
    }
  }

  /** Returns the events of one step of the source. Many chunks cause none. */
  function take(translation: Translation, { done, value }: ChunkStep): Batch {
    if (done) return end(translation, value)
    isFed = true
    return translation.push(value)
  }

  function end(translation: Translation, end: StreamEnd | undefined): Batch {
    // A generator yields its chunks only once: an empty response would hide that this one is used up.
    check(isFed || end !== undefined, 'source', 'chunks (a generator gives them only once)', undefined, 'empty_source')
    if (end?.usage !== undefined) translation.addUsage(end.usage)
    const events = translation.end(end?.reason)
    isEnded = true
    return events
  }

  function stop(translation: Translation): Batch {
    if (closed === 'left') return []
    isEnded = true
    return translation.abort()
  }

  function fail(translation: Translation, error: unknown): Batch {
    isEnded = true
    report(error)
    return translation.fail(clientFailure(error))
  }

  /** Reports an error of the host's code or engine to the host. */
  function report(error: unknown): void {
    callSafely(options.onError, error)
  }

  async function* run(): AsyncGenerator<Value, Response> {
    const translation = await createTranslation()
    try {
      let events = start(translation)
      for (;;) {
        if (events.length > 0) for (const value of valuesOf(events)) yield value
        if (isEnded || closed === 'left') return translation.response
        try {
          let step: ChunkStep | undefined
          if (closed === undefined) {
            // Opened here, because an error in opening it is the source's failure.
            chunks ??= iterateSource(source)
            step = await waiter.wait(chunks.next())
          }
          events = closed ? stop(translation) : take(translation, step as ChunkStep)
        } catch (error) {
          events = fail(translation, error)
        }
      }
    } finally {
      close('left')
      // The terminal event would have done this.
      if (!isEnded) translation.dispose()
    }
  }

  return closable(run(), () => close('left'))
}
