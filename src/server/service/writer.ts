import type { ResponseStreamEvent } from '../../responses/events.js'
import type { ResponseObject } from '../../responses/response.js'
import { ReportedError } from './reported-error.js'
import { terminalResponse } from './terminal.js'

type Batch = readonly ResponseStreamEvent[]
type Step = IteratorResult<Batch, undefined>

export interface WriterOptions {
  /** What came before it was known that there is a response. */
  readonly first: IteratorResult<Batch, readonly number[]>
  readonly batches: AsyncGenerator<Batch, readonly number[]>
  /** Keeps the response before its end is shown: its reader may ask for it at once. */
  readonly keep: (response: ResponseObject, transcript: readonly number[]) => Promise<void>
  readonly onError: (error: unknown) => void
  /**
   * The rest of a response that could not be written, its terminal event last: kept by now. Undefined if there is nothing
   * that may be shown. Never rejects.
   *
   * @param last - the batch with its terminal event, if it could be written and not kept
   */
  readonly recover: (error: unknown, last?: Batch) => Promise<Batch | undefined>
  /** Called once, however it ends. */
  readonly onEnd: () => void
}

/** The batches of a response, one at a time. */
export interface ResponseWriter extends AsyncIterableIterator<Batch, undefined> {
  readonly isOver: boolean
  /** What was asked for and is not there yet. */
  readonly pending: Promise<unknown> | undefined
}

/**
 * The batches of one response, kept before the last is given. An iterator by hand, since every token passes it. One `next`
 * at a time.
 */
export function createWriter(options: WriterOptions): ResponseWriter {
  const { batches, keep, onError, recover, onEnd } = options
  let first: WriterOptions['first'] | undefined = options.first
  let isOver = false
  let pending: Promise<Step> | undefined

  function end(): Step {
    if (!isOver) onEnd()
    isOver = true
    return { done: true, value: undefined }
  }

  async function fail(error: unknown, last?: Batch): Promise<Step> {
    onError(error)
    const value = await recover(error, last)
    pending = undefined
    end()
    if (value === undefined) throw new ReportedError('the response could not be written')
    return { done: false, value }
  }

  function given(step: IteratorResult<Batch, readonly number[]>): Step | Promise<Step> {
    pending = undefined
    if (step.done) return end()
    const response = terminalResponse(step.value)
    return response === undefined ? step : last(step.value, response)
  }

  function last(value: Batch, response: ResponseObject): Promise<Step> {
    pending = keepLast(value, response)
    return pending
  }

  async function keepLast(value: Batch, response: ResponseObject): Promise<Step> {
    try {
      const { value: transcript } = await batches.next()
      await keep(response, transcript as readonly number[])
    } catch (error) {
      return await fail(error, value)
    }
    pending = undefined
    end()
    return { done: false, value }
  }

  const writer: ResponseWriter = {
    get isOver() {
      return isOver
    },
    get pending() {
      return pending
    },
    [Symbol.asyncIterator]: () => writer,
    next() {
      if (isOver) return Promise.resolve({ done: true, value: undefined })
      const step = first === undefined ? batches.next() : Promise.resolve(first)
      first = undefined
      pending = step.then(given, (error) => fail(error))
      return pending
    },
  }
  return writer
}
