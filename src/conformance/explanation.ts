import type { Seen, SeenCall } from './clients/client.js'
import { isAtEnd } from './report/violation-kind.js'
import type { Violation } from './violation.js'

/** What a client makes of a stream. */
export interface Explanation {
  /** A few sentences: what the client shows, which calls it runs, how it ends, and the first event that breaks it. */
  readonly text: string
  /** What breaks the client, under its profile: the violations of severity `error`, in order. */
  readonly errors: readonly Violation[]
}

// The parts of a sentence, for any API.

export function shownBy({ streamed, final }: Seen): string {
  const text = streamed.length === 0 && final !== undefined ? final : streamed
  return text.length === 0 ? 'shows no text' : `shows ${text}`
}

export const callWords = ({ name, arguments: given }: SeenCall): string => `${name} with ${given.plain}`

export const withMessage = (end: string, message: string | undefined): string =>
  message === undefined || message === '' ? end : `${end}: ${message}`

/** The first event that breaks the client. */
export function tripAt(first: Violation): string {
  const named = first.type === undefined ? '' : ` (${first.type})`
  const at = isAtEnd(first) ? 'at the end' : `at event ${first.position}${named}`
  return `It trips ${at}: expected ${first.expected}, got ${first.got}.`
}
