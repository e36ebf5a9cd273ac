import type { CheckerWithRun } from './answer-checker.js'
import type { Extraneous } from './clients/agreement/extraneous.js'
import { callWords, ENDING_WORDS, type Ending, type Seen, type SeenCall } from './clients/client.js'
import type { ClientRun, StreamAgreement } from './clients/run.js'
import { isAtEnd, type StreamChunk, type Violation, violationsOf } from './violation.js'

/** A client's reading of a stream. */
export interface Explanation {
  /** A few sentences: what the client shows, which calls it runs, how it ends, and the first event that breaks it. */
  readonly text: string
  /** The violations that break the client, under its profile: those of severity `error`, in order. */
  readonly errors: readonly Violation[]
}

/** The parts of an explanation, for any API. */
export interface Reading {
  /** The client's name. */
  readonly name: string
  readonly seen: Seen
  /** Violations of severity `error`. */
  readonly errors: readonly Violation[]
  /** Returns why a call runs that the stream does not request in this way, as a suffix; empty if it does. */
  whyOf(call: SeenCall): string
  /** The ending of the stream for the client. */
  readonly end: string
}

export function explanationOf({ name, seen, errors, whyOf, end }: Reading): Explanation {
  const runs = seen.calls.map((call) =>
    call.isInvalid
      ? `will not run ${callWords(call)}, which no tool can take`
      : `will run ${callWords(call)}${whyOf(call)}`,
  )
  const does = [shownBy(seen), ...runs, end].join(', ')
  const [first] = errors
  return { text: first === undefined ? `${name} ${does}.` : `${name} ${does}. ${tripAt(first)}`, errors }
}

/** Returns why something is not part of the intended content. `whole`: the response, or the answer. */
export function surplusWords(why: Extraneous['why'], whole: string): string {
  if (why === 'repeated') return 'which came again'
  return why === 'late' ? `which came after the end of the ${whole}` : `which is of another ${whole}`
}

/**
 * Returns why a call of this name runs although the answer does not request it.
 *
 * @param event - the name of an event of the API
 */
function extraneousReason(extraneous: readonly Extraneous[], name: string, event: 'chunk' | 'event'): string {
  const extra = extraneous.find((one) => one.name === name)
  return extra === undefined ? '' : ` (${surplusWords(extra.why, 'answer')}: ${event} ${extra.at.position})`
}

/** The ending that a client treats as success. */
export function goodEnd(errors: readonly Violation[], extraneous: readonly Extraneous[], whole: string): string {
  if (errors.length === 0) return 'and ends well'
  return `and ends without noticing that something is ${extraneous.length > 0 ? `not of this ${whole}` : 'lost'}`
}

/** The content of an answer as its stream states it. */
interface AgreedAnswer extends StreamAgreement<unknown> {
  readonly calls: readonly { readonly name: string }[]
  readonly extraneous: readonly Extraneous[]
  readonly errorMessage: string | undefined
  /** Why it ended. */
  readonly reason: string | undefined
}

/** The words of an API whose answers have one message. */
interface AnswerWords<Agreed> {
  readonly event: 'chunk' | 'event'
  /** The reason why an answer was cut off, if it states none. */
  readonly cutOff: string
  /** How an answer without an ending ends. */
  open(agreed: Agreed): string
}

/** Explains how a client reads the stream of an answer. */
export function explainAnswer<Agreed extends AgreedAnswer>(
  stream: Iterable<StreamChunk>,
  { checker, run }: CheckerWithRun<unknown, Agreed>,
  { client, name }: { readonly client: string; readonly name: string },
  { event, cutOff, open }: AnswerWords<Agreed>,
): Explanation {
  const errors = [...violationsOf(checker, stream)].filter(({ severity }) => severity === 'error')
  // The cast: the profile is that of a client.
  const { seen, agreement } = run as ClientRun<unknown, Agreed>
  const { extraneous, calls, reason, errorMessage } = agreement
  const ends: Readonly<Record<Ending, () => string>> = {
    completed: () => goodEnd(errors, extraneous, 'answer'),
    incomplete: () => `and learns that it was cut off (${reason ?? cutOff})`,
    failed: () => withMessage('and fails', (seen.error ?? errorMessage)?.replace(/\.$/, '')),
    // No answer ends so.
    cancelled: () => ENDING_WORDS.cancelled,
    threw: () => withMessage(client === 'ai-sdk' ? 'and shows an error' : 'and throws', seen.error?.replace(/\.$/, '')),
    open: () => open(agreement),
  }
  return explanationOf({
    name,
    seen,
    errors,
    whyOf: (call) =>
      calls.some((one) => one.name === call.name) ? '' : extraneousReason(extraneous, call.name, event),
    end: ends[seen.ending](),
  })
}

function shownBy({ streamed, final }: Seen): string {
  const text = streamed.length === 0 && final !== undefined ? final : streamed
  return text.length === 0 ? 'shows no text' : `shows ${text}`
}

export const withMessage = (end: string, message: string | undefined): string =>
  message === undefined || message === '' ? end : `${end}: ${message}`

/** The first event that breaks the client. */
function tripAt(first: Violation): string {
  const named = first.type === undefined ? '' : ` (${first.type})`
  const at = isAtEnd(first) ? 'at the end' : `at event ${first.position}${named}`
  return `It trips ${at}: expected ${first.expected}, got ${first.got}.`
}
