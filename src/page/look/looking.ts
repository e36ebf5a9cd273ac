import { type Signal, signal } from '@preact/signals'
import { followTrace, isOver, type WholeTrace } from '../api/follow-trace.js'
import { ApiError, reasonOf } from '../api/send.js'
import { type LookResult, traceResult } from '../worker/look-result.js'
import { askWorker, stopWorker } from './ask-worker.js'
import { unpack } from './packed-text.js'

/** What is looked at, and how far that is. */
export type Looking =
  | { readonly is: 'nothing' }
  | { readonly is: 'reading' }
  | (LookResult & {
      /** Tells what is looked at from what was before. */
      readonly count: number
      /** The id of an answer of the server. */
      readonly response?: string
      readonly trace?: WholeTrace
      /** What was pasted, dropped or shared. */
      readonly text?: string | Blob
      /** Why no more of it can be read. */
      readonly broken?: string
    })

export const looking: Signal<Looking> = signal<Looking>({ is: 'nothing' })

let count = 0
let reading = new AbortController()

/** Gives up what is read, to read something else. */
function begin(): AbortSignal {
  stopLooking()
  looking.value = { is: 'reading' }
  reading = new AbortController()
  count += 1
  return reading.signal
}

/** Gives up what is read. What is shown stays. */
export function stopLooking(): void {
  reading.abort()
  stopWorker()
  if (looking.value.is === 'reading') looking.value = { is: 'nothing' }
}

/** Says what a text or a file is, and what became of it. */
export async function lookAt(text: string | Blob): Promise<void> {
  // The address names it no longer.
  history.replaceState(null, '', '#look')
  await show(text, begin())
}

/** Says what the text of a link is, and what became of it. */
export async function lookAtLink(packed: string): Promise<void> {
  const signal = begin()
  try {
    await show(await unpack(packed), signal)
  } catch (error) {
    if (!signal.aborted) looking.value = { is: 'failed', why: reasonOf(error), count }
  }
}

async function show(text: string | Blob, signal: AbortSignal): Promise<void> {
  const looked = await askWorker(text)
  if (!signal.aborted) looking.value = { ...looked, count, text }
}

/** Shows the tokens of an answer of the server, and those that follow while it runs. */
export async function lookAtResponse(id: string): Promise<void> {
  const signal = begin()
  const place = { count, response: id }
  try {
    await followTrace(id, (trace) => (looking.value = { ...traceResult(trace), ...place, trace }), signal)
  } catch (error) {
    if (signal.aborted) return
    const why = whyOf(error)
    looking.value = looking.value.is === 'trace' ? { ...looking.value, broken: why } : { is: 'failed', why, ...place }
  }
}

/** Returns the response that ran when its tokens were last read. */
export function unfinishedResponse(): string | undefined {
  const { trace } = { trace: undefined, ...looking.value }
  return trace === undefined || isOver(trace) ? undefined : trace.response_id
}

function whyOf(error: unknown): string {
  const isUnknown = error instanceof ApiError && error.status === 404
  return isUnknown ? 'The server keeps no tokens of this answer, or another key asked for it.' : reasonOf(error)
}
