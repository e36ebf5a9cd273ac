import type { About } from './about.js'
import type { EventKind } from './event-kind.js'
import type { StreamEvent } from './stream-event.js'
import type { StreamState } from './stream-state.js'

/** Whom a stream is held against: what OpenAI always does, what Open Responses requires, what a client needs. */
export const PROFILES = [
  'openai',
  'open-responses',
  'client:openai',
  'client:ai-sdk',
  'client:openai-agents',
  'client:langchain',
  'client:codex',
] as const

export type Profile = (typeof PROFILES)[number]

/** What holds of every good stream. */
export interface Invariant {
  /** Kebab-case, stable: programs branch on it. */
  readonly id: string
  /** What holds, in one sentence. */
  readonly sentence: string
  /** Who always does so, who requires it, which clients break without it. */
  readonly neededBy: readonly Profile[]
  /** `warning` where nothing is known to break. */
  readonly severity: 'error' | 'warning'
  /** `model` where a server that passes on what the model wrote does nothing wrong. Default: the server's. */
  readonly fault?: 'model'
  /** Which events it looks at, by what their type says; all where it is absent. */
  readonly on?: (kind: EventKind) => boolean
  /** Begins to check one stream: constant work for each event, and memory for what is open alone. */
  begin(): Check
}

/** One stream, being checked. */
export interface Check {
  /** An event came that it looks at. `reading` is how the stream stood before it. */
  event?(event: StreamEvent, reading: StreamState, tell: Tell): void
  /** The stream is over. */
  end?(reading: StreamState, tell: Tell): void
}

/** Tells what was expected, in words, and what came: the value, or (then `words`) what there is to say of it. */
export type Tell = (expected: string, got: unknown, words?: string, details?: TellDetails) => void

/** What an invariant knows of a violation that does not follow from the event and from the invariant itself. */
export interface TellDetails {
  /** What it is about, where that is something else than what the event is about. */
  readonly about?: About
  /** Whose doing it is, where that is not as the invariant says. */
  readonly fault?: 'server' | 'model'
}

/** An invariant that needs to remember nothing: it looks at each event and at how the stream stood before it. */
export function stateless(event: NonNullable<Check['event']>): Invariant['begin'] {
  const check = { event }
  return () => check
}

/** An invariant that looks at the end alone. */
export function atEnd(end: NonNullable<Check['end']>): Invariant['begin'] {
  const check = { end }
  return () => check
}

/** An invariant that looks at events of these types. */
export function of(...types: string[]): NonNullable<Invariant['on']> {
  return ({ type }) => types.includes(type)
}
