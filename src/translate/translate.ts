import { check, isIterable } from '../errors.js'
import type { ResponseStreamEvent } from '../responses/events.js'
import type { Response } from '../responses/response.js'
import type { TokenSource } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import { listingsOf } from './mcp-listing.js'
import { checkOptions, type TranslateOptions } from './options.js'
import { plainCopy } from './plain-copy.js'
import { createPull, type Given, type Pull } from './pull.js'
import { withoutSecrets } from './without-secrets.js'

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
  return generatorOf(pullOf(source, options, loadTokenTable), (events) => events)
}

/** The same, an event at a time. */
export function translateEvents(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable?: () => Promise<TokenTable>,
): AsyncGenerator<ResponseStreamEvent, Response> {
  let batch: readonly ResponseStreamEvent[] = []
  let at = 0
  return generatorOf<ResponseStreamEvent>(
    pullOf(source, options, loadTokenTable),
    (events) => {
      // Most are of one: writing down what is young costs more than looking.
      if (events.length > 1) {
        batch = events
        at = 1
      }
      return events[0] as ResponseStreamEvent
    },
    () => (at < batch.length ? batch[at++] : undefined),
  )
}

function pullOf(
  source: TokenSource,
  options: TranslateOptions,
  loadTokenTable: (() => Promise<TokenTable>) | undefined,
): Pull {
  checkOptions(options)
  // The translator copies these, but it is made only when somebody reads: what is wrong with them is told here.
  withoutSecrets(options.request ?? {})
  listingsOf(options.mcpListings ?? [])
  plainCopy('inputMessages', options.inputMessages)
  check(isIterable(source), 'source', 'an iterable of chunks', source)
  return createPull(source, options, loadTokenTable)
}

/**
 * An async generator by hand: an ordinary one would hear that its consumer stops only after the `next()` under way, and
 * an engine that nobody listens to would go on; and it takes three promises for each value, where this takes one. Where
 * the source need not be waited for, that one is made resolved: the functions to resolve it later cost as much again.
 *
 * @param first - the value that a batch begins with
 * @param more - the next value of the last batch, or undefined where there is none
 */
function generatorOf<T>(
  pull: Pull,
  first: (events: ResponseStreamEvent[]) => T,
  more: () => T | undefined = () => undefined,
): AsyncGenerator<T, Response> {
  type Answer = IteratorResult<T, Response>
  /** Calls that came while one was under way: they are answered in their order. */
  const queue: (() => void)[] = []
  let isBusy = false
  let isOver = false
  /** Answers the call that has to wait. */
  let resolve: (answer: Answer | Promise<Answer>) => void
  let reject: (error: unknown) => void

  function give(given: Given): void {
    isBusy = false
    resolve(answerOf(given))
    settle()
  }

  function refuse(error: unknown): void {
    isBusy = false
    isOver = true
    reject(error)
    settle()
  }

  function keep(resolved: typeof resolve, rejected: typeof reject): void {
    resolve = resolved
    reject = rejected
  }

  function answerOf(given: Given): Answer {
    if (given !== null) return { done: false, value: first(given) }
    isOver = true
    return { done: true, value: pull.response() as Response }
  }

  /** Asks for the next value: undefined where it is given later. */
  function ask(): Answer | undefined {
    if (isOver) return { done: true, value: undefined as never }
    const value = more()
    if (value !== undefined) return { done: false, value }
    isBusy = true
    const given = pull.request(give, refuse)
    if (given === undefined) return undefined
    isBusy = false
    return answerOf(given)
  }

  function next(): Promise<Answer> {
    if (isBusy) return inTurn(ask)
    const answer = ask()
    if (answer === undefined) return new Promise(keep)
    settle()
    return Promise.resolve(answer)
  }

  /** The consumer stops. */
  function stop(answer: () => Promise<Answer>): Promise<Answer> {
    pull.leave()
    const stopped = inTurn(() => {
      isOver = true
      return answer()
    })
    settle()
    return stopped
  }

  function inTurn(job: () => Answer | Promise<Answer> | undefined): Promise<Answer> {
    return new Promise((resolved, rejected) =>
      queue.push(() => {
        const answer = job()
        if (answer === undefined) keep(resolved, rejected)
        else resolved(answer)
      }),
    )
  }

  /** Answers what is queued, until a call has to wait. */
  function settle(): void {
    while (!isBusy && queue.length > 0) queue.shift()?.()
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
