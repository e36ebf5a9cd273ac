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

/** The next batch, never empty; null where all is told. */
export type Given = Batch | null

/** A source that is pulled through a translator. */
export interface Pull {
  /**
   * Asks for the next batch: undefined where it is given later. One request at a time, and each with the same
   * callbacks: some for each would be a good part of what a token costs.
   */
  request(give: (given: Given) => void, refuse: (error: unknown) => void): Given | undefined
  /** Nobody wants more: closes the source at once, and answers a request that waits for it. */
  leave(): void
  /** The response; undefined before the first batch. */
  response(): Response | undefined
}

/** No promise of its own: whoever asks makes one, where one is needed. */
export function createPull(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable: (() => Promise<TokenTable>) | undefined,
): Pull {
  const { signal } = options
  let translator: Translator | undefined
  let chunks: AsyncIterator<TokenChunk> | Iterator<TokenChunk> | undefined
  /** Why the source is read no more. */
  let over: 'aborted' | 'left' | undefined
  /** The source gave a chunk. */
  let isFed = false
  /** Nobody asks any more. */
  let isLeft = false
  /** The terminal event was given. */
  let isEnded = false
  /** Who asks, and whether that one waits for the source. */
  let give: (given: Given) => void
  let isWaiting = false

  function close(reason: 'aborted' | 'left'): void {
    if (over !== undefined) return
    over = reason
    signal?.removeEventListener('abort', abort)
    const isAsked = isWaiting
    isWaiting = false
    // Also a source that was never read: it may hold an engine all the same.
    // At once, and whatever comes of it may go: an engine that is waited for answers when it is done.
    new Promise((resolve) => resolve((isEnded ? chunks : (chunks ?? iterate(source)))?.return?.())).catch(tell)
    if (isAsked) answer(read())
  }
  const abort = (): void => close('aborted')
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)

  async function begin(): Promise<Batch> {
    const tokenTable = options.tokenTable ?? (await loadTokenTable?.())
    translator = new Translator({ ...options, ...(tokenTable && { tokenTable }) })
    if (isLeft) translator.dispose()
    try {
      return translator.start()
    } catch (error) {
      return fail(error)
    }
  }

  function read(): Given | undefined {
    // A loop, because a source that need not be waited for may say nothing for long.
    while (!isEnded && over === undefined) {
      let step: Step | Promise<Step>
      try {
        // Made here and not before: making it may fail, and that is the source's failure.
        chunks ??= iterate(source)
        step = chunks.next() as Step | Promise<Step>
        if (isPromise(step)) {
          isWaiting = true
          // Itself; but what only looks like a promise may call back at once, or twice.
          Promise.resolve(step).then(arrive, collapse)
          return undefined
        }
      } catch (error) {
        return fail(error)
      }
      const events = take(step)
      if (events.length > 0) return events
    }
    if (over === 'aborted' && !isEnded) return stop()
    close('left')
    return null
  }

  function answer(given: Given | undefined): void {
    if (given !== undefined) give(given)
  }

  // What was waited for came. Nobody waits any more where it was aborted or left meanwhile.

  function arrive(step: Step): void {
    if (!isWaiting) return
    isWaiting = false
    const events = take(step)
    answer(events.length > 0 ? events : read())
  }

  function collapse(error: unknown): void {
    if (!isWaiting) return
    isWaiting = false
    answer(fail(error))
  }

  // What the translator does with what comes. There is one by then: `begin` made it.

  function take(step: Step): Batch {
    try {
      if (step.done) return end(step.value)
      isFed = true
      return (translator as Translator).push(step.value)
    } catch (error) {
      return fail(error)
    }
  }

  function end(end: StreamEnd | undefined): Batch {
    // A generator gives what it has once. A response without output would hide that for ever.
    check(isFed || end !== undefined, 'source', 'chunks (a generator gives them only once)', undefined, 'empty_source')
    if (end?.usage !== undefined) (translator as Translator).addUsage(end.usage)
    const events = (translator as Translator).end(end?.reason)
    isEnded = true
    return events
  }

  function fail(error: unknown): Batch {
    isEnded = true
    tell(error)
    return (translator as Translator).fail(clientFailure(error))
  }

  /** The host, of an error in its own code or its engine's. */
  function tell(error: unknown): void {
    callHost(options.onError, error)
  }

  function stop(): Batch {
    isEnded = true
    return (translator as Translator).abort()
  }

  return {
    request(giving, refuse) {
      if (translator !== undefined) return read()
      give = giving
      begin().then(answer, (error) => {
        tell(error)
        close('left')
        refuse(error)
      })
      return undefined
    },
    leave() {
      isLeft = true
      close('left')
      // There will be no terminal event, with which the translator would do it.
      translator?.dispose()
    },
    response: () => translator?.response,
  }
}

function iterate(source: TokenSource): AsyncIterator<TokenChunk> | Iterator<TokenChunk> {
  if (typeof source === 'string') return [source as string].values()
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}

function isPromise(step: Step | Promise<Step>): step is Promise<Step> {
  return typeof (step as { then?: unknown }).then === 'function'
}
