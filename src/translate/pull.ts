import { closable, createWaiter } from '../closable.js'
import { check } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { StreamEnd, TokenChunk, TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { callHost } from './call-host.js'
import { clientFailure } from './failure.js'
import type { TranslateOptions } from './options.js'
import { Translator } from './translator.js'

type Batch = ResponseStreamEvent[]
type Step = IteratorResult<TokenChunk, StreamEnd | undefined>

/**
 * Pulls a source through a translator; see `translateBatches`.
 *
 * @param valuesOf - what is yielded of the events of a chunk, which are never none
 */
export function pull<Value>(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable: (() => Promise<TokenTable>) | undefined,
  valuesOf: (events: Batch) => readonly Value[],
): AsyncGenerator<Value, Response> {
  const { signal } = options
  const waiter = createWaiter()
  let chunks: AsyncIterator<TokenChunk> | Iterator<TokenChunk> | undefined
  /** Why the source is not read any more. */
  let closed: 'aborted' | 'left' | undefined
  /** Whether the source gave a chunk. */
  let isFed = false
  /** Whether the terminal event was made. */
  let isEnded = false

  function close(why: 'aborted' | 'left'): void {
    if (closed !== undefined) return
    closed = why
    signal?.removeEventListener('abort', abort)
    waiter.interrupt()
    // Also a source that was never read, which may hold an engine; but not one that failed to be opened.
    const opened = (): typeof chunks => (isEnded ? chunks : (chunks ?? iterate(source)))
    // Not awaited: an engine whose next token is waited for answers only when that has come.
    new Promise((resolve) => resolve(opened()?.return?.())).catch(report)
  }
  const abort = (): void => close('aborted')
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)

  async function createTranslator(): Promise<Translator> {
    try {
      const tokenTable = options.tokenTable ?? (await loadTokenTable?.())
      return new Translator({ ...options, ...(tokenTable && { tokenTable }) })
    } catch (error) {
      report(error)
      close('left')
      throw error
    }
  }

  function start(translator: Translator): Batch {
    try {
      return translator.start()
    } catch (error) {
      return fail(translator, error)
    }
  }

  /** The events of what the source gave: none for many a chunk. */
  function take(translator: Translator, { done, value }: Step): Batch {
    if (done) return end(translator, value)
    isFed = true
    return translator.push(value)
  }

  function end(translator: Translator, end: StreamEnd | undefined): Batch {
    // A generator gives what it has once. A response without output would hide that for ever.
    check(isFed || end !== undefined, 'source', 'chunks (a generator gives them only once)', undefined, 'empty_source')
    if (end?.usage !== undefined) translator.addUsage(end.usage)
    const events = translator.end(end?.reason)
    isEnded = true
    return events
  }

  function stop(translator: Translator): Batch {
    if (closed === 'left') return []
    isEnded = true
    return translator.abort()
  }

  function fail(translator: Translator, error: unknown): Batch {
    isEnded = true
    report(error)
    return translator.fail(clientFailure(error))
  }

  /** To the host, whose code or engine it is an error of. */
  function report(error: unknown): void {
    callHost(options.onError, error)
  }

  async function* run(): AsyncGenerator<Value, Response> {
    const translator = await createTranslator()
    try {
      let events = start(translator)
      for (;;) {
        if (events.length > 0) for (const value of valuesOf(events)) yield value
        if (isEnded || closed === 'left') return translator.response
        try {
          let step: Step | undefined
          if (closed === undefined) {
            // Opened here and not before: that may fail, which is the source's failure.
            chunks ??= iterate(source)
            step = (await waiter.wait(chunks.next())) as Step
          }
          events = closed ? stop(translator) : take(translator, step as Step)
        } catch (error) {
          events = fail(translator, error)
        }
      }
    } finally {
      close('left')
      // The terminal event does so by itself, and here there is none.
      if (!isEnded) translator.dispose()
    }
  }

  return closable(run(), () => close('left'))
}

function iterate(source: TokenSource): AsyncIterator<TokenChunk> | Iterator<TokenChunk> {
  if (typeof source === 'string') return [source as string].values()
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}
