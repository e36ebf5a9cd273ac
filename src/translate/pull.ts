import { HarmonyResponsesError } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { StreamEnd, TokenChunk, TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { TranslateOptions } from './options.js'
import { Translator } from './translator.js'

type Batch = ResponseStreamEvent[]
type Step = IteratorResult<TokenChunk, StreamEnd | undefined>

/** A source that is pulled through a translator. */
export interface Pull {
  /** Asks for the next batch, never empty; undefined where all is told. One request at a time. */
  request(give: (events: Batch | undefined) => void, refuse: (error: unknown) => void): void
  /** Nobody wants more: closes the source at once, and answers a request that waits for it. */
  leave(): void
  /** The response; undefined before the first batch. */
  response(): Response | undefined
}

/** Callbacks, and no promise of its own: whoever asks makes one, and a token costs no more than that. */
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
  /** The terminal event was given. */
  let isEnded = false
  /** Who waits for the source. */
  let waiting: ((events: Batch | undefined) => void) | undefined

  function close(reason: 'aborted' | 'left'): void {
    if (over !== undefined) return
    over = reason
    signal?.removeEventListener('abort', abort)
    const give = waiting
    waiting = undefined
    // Also a source that was never read: it may hold an engine all the same.
    // At once, and whatever comes of it may go: an engine that is waited for answers when it is done.
    new Promise((resolve) => resolve((chunks ?? iterate(source)).return?.())).catch(() => {})
    if (give !== undefined) read(give)
  }
  const abort = (): void => close('aborted')
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)

  async function begin(): Promise<Batch> {
    const tokenTable = options.tokenTable ?? (await loadTokenTable?.())
    translator = new Translator({ ...options, ...(tokenTable && { tokenTable }) })
    return translator.start()
  }

  function read(give: (events: Batch | undefined) => void): void {
    // A loop, because a source that need not be waited for may say nothing for long.
    while (!isEnded && over === undefined) {
      let step: Step | Promise<Step>
      try {
        // Made here and not before: making it may fail, and that is the source's failure.
        chunks ??= iterate(source)
        step = chunks.next() as Step | Promise<Step>
      } catch (error) {
        give(fail(error))
        return
      }
      if (isPromise(step)) {
        waiting = give
        step.then(
          (one) => {
            // Nobody waits any more where it was aborted or left meanwhile.
            if (waiting !== give) return
            waiting = undefined
            const events = one.done ? end(one.value) : push(one.value)
            if (events.length > 0) give(events)
            else read(give)
          },
          (error) => {
            if (waiting !== give) return
            waiting = undefined
            give(fail(error))
          },
        )
        return
      }
      const events = step.done ? end(step.value) : push(step.value)
      if (events.length === 0) continue
      give(events)
      return
    }
    if (over === 'aborted' && !isEnded) give(stop())
    else {
      close('left')
      give(undefined)
    }
  }

  // What the translator does with what comes. There is one by then: `begin` made it.

  function push(chunk: TokenChunk): Batch {
    try {
      return (translator as Translator).push(chunk)
    } catch (error) {
      return fail(error)
    }
  }

  function end(end: StreamEnd | undefined): Batch {
    try {
      if (end?.usage !== undefined) (translator as Translator).addUsage(end.usage)
      const events = (translator as Translator).end(end?.reason)
      isEnded = true
      return events
    } catch (error) {
      return fail(error)
    }
  }

  function fail(error: unknown): Batch {
    isEnded = true
    return (translator as Translator).fail(failureOf(error))
  }

  function stop(): Batch {
    isEnded = true
    return (translator as Translator).abort()
  }

  return {
    request(give, refuse) {
      if (translator !== undefined) return read(give)
      begin().then(give, (error) => {
        close('left')
        refuse(error)
      })
    },
    leave: () => close('left'),
    response: () => translator?.response,
  }
}

/** What the stream says of a source's error. Codes of operating systems (`ECONNRESET`) mean nothing to clients. */
function failureOf(error: unknown): { code?: string; message: string } {
  const message = error instanceof Error ? error.message : String(error)
  const { code } = Object(error) as { code?: unknown }
  const isApis = typeof code === 'string' && /^[a-z_]+$/.test(code) && !(error instanceof HarmonyResponsesError)
  return isApis ? { code, message } : { message }
}

function iterate(source: TokenSource): AsyncIterator<TokenChunk> | Iterator<TokenChunk> {
  if (typeof source === 'string') return [source as string].values()
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}

function isPromise(step: Step | Promise<Step>): step is Promise<Step> {
  return typeof (step as { then?: unknown }).then === 'function'
}
