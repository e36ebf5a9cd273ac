import { check } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { checkOptions, type TranslateOptions } from './options.js'
import { createPull, type Pull } from './pull.js'

/**
 * Pulls a source through a `Translator`: the events of each chunk as one array, never empty. The source is read only as
 * fast as batches are taken, and closed as soon as nobody wants more: at the end, on abort and when the consumer stops
 * (at once, even while it is being waited for).
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
  const pull = pullOf(source, options, loadTokenTable)
  return generatorOf(pull, pull.request)
}

/** The same, an event at a time. */
export function translateEvents(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent, Response> {
  const pull = pullOf(source, options, loadTokenTable)
  let batch: readonly ResponseStreamEvent[] = []
  let at = 0
  return generatorOf<ResponseStreamEvent>(pull, (give, fail) => {
    if (at < batch.length) return give(batch[at++])
    pull.request((events) => {
      batch = events ?? []
      at = 1
      give(batch[0])
    }, fail)
  })
}

function pullOf(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable: (() => Promise<TokenTable>) | undefined,
): Pull {
  checkOptions(options)
  const { [Symbol.asyncIterator]: isAsync, [Symbol.iterator]: isSync } = Object(source)
  check((isAsync ?? isSync) !== undefined, 'source', 'an iterable of chunks', source)
  return createPull(source, options, loadTokenTable)
}

/**
 * An async generator by hand: an ordinary one would hear that its consumer stops only after the `next()` under way, and
 * an engine that nobody listens to would go on; and it takes three promises for each value, where this takes one.
 *
 * @param take - gives the next value, or undefined at the end
 */
function generatorOf<T>(
  pull: Pull,
  take: (give: (value: T | undefined) => void, fail: (error: unknown) => void) => void,
): AsyncGenerator<T, Response> {
  /** Calls that came while one was under way: they are answered in their order. */
  const queue: (() => void)[] = []
  let isBusy = false
  let isOver = false

  function next(): Promise<IteratorResult<T, Response>> {
    return new Promise((resolve, reject) => {
      inTurn(() => {
        if (isOver) return settle(() => resolve({ done: true, value: undefined as never }))
        take(
          (value) => {
            if (value !== undefined) settle(() => resolve({ done: false, value }))
            else {
              isOver = true
              settle(() => resolve({ done: true, value: pull.response() as Response }))
            }
          },
          (error) => {
            isOver = true
            settle(() => reject(error))
          },
        )
      })
    })
  }

  /** The consumer stops. */
  function stop<R>(answer: () => R | PromiseLike<R>): Promise<R> {
    pull.leave()
    return new Promise((resolve) => {
      inTurn(() => {
        isOver = true
        settle(() => resolve(new Promise((answered) => answered(answer()))))
      })
    })
  }

  function inTurn(job: () => void): void {
    if (isBusy) queue.push(job)
    else {
      isBusy = true
      job()
    }
  }

  function settle(answer: () => void): void {
    isBusy = false
    answer()
    const job = queue.shift()
    if (job !== undefined) inTurn(job)
  }

  const generator: Pick<AsyncGenerator<T, Response>, 'next' | 'return' | 'throw'> = {
    next,
    return: (value) => stop(async () => ({ done: true, value: await value })),
    throw: (error) => stop(() => Promise.reject(error)),
  }
  return Object.setPrototypeOf(generator, ASYNC_ITERATOR)
}

/** What the runtime gives all async iterators: `Symbol.asyncIterator`, and where it has it `Symbol.asyncDispose`. */
const ASYNC_ITERATOR: object = /* @__PURE__ */ Object.getPrototypeOf(
  /* @__PURE__ */ Object.getPrototypeOf(async function* () {}.prototype),
)
