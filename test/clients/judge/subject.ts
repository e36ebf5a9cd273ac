import type { Client, Seen } from '../../../src/judge/conformance/clients/client.js'
import { MODELS } from '../../../src/judge/conformance/clients/index.js'
import type { Family } from '../../../src/judge/conformance/damage/family.js'
import { FAMILIES } from '../../../src/judge/conformance/damage/index.js'
import { checkEvents, explain, type Violation } from '../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../src/judge/conformance/stream-event.js'
import type { Drawn } from './draw.js'
import { drawDamages } from './draw.js'
import { langchainArguments } from './langchain.js'
import { meantBy, parsed } from './meant.js'
import { bodyOf, type Outcome } from './replay.js'
import type { NamedStream } from './streams.js'
import { RESPONSES_KINDS } from './unseen/responses.js'

type Events = NamedStream['events']

/** What is compared with a real client: a profile, its model, and the streams of its API. */
export interface Subject {
  readonly profile: string
  /** The ids of the client's own rules begin with it. */
  readonly rules: string
  /** The package versions that the model was measured against. */
  readonly versions: Readonly<Record<string, string>>
  readonly families: readonly Family[]
  /** Mistakes that only measure the judge. */
  readonly kinds: readonly Family[]
  /** The type of an event, by which unseen kinds choose. */
  typeOf(event: Events[number]): string
  /** The errors that the profile finds. */
  violations(events: Events): Violation[]
  /** Whether the strict profile of the API finds an error. */
  isRefused(events: Events): boolean
  /** Whether `explain` says that the answer ends well. */
  saysCompleted(events: Events): boolean
  /** The client's output as the model predicts it. */
  predicted(events: Events): Seen
  /** The output of a lossless client for a genuine stream. */
  meant(events: Events): Outcome
  /** The events as the body of a response. */
  bodyOf(events: Events): string
  /** Damages of single fields and events. */
  draw(streams: readonly NamedStream[], count: number, seed: number): Drawn[]
  /** Whether families damage a stream: the intended content of recordings without a beginning or an end is unclear. */
  isWhole(events: Events): boolean
  /**
   * Whether a damaged stream is another good one, so that a client which shows something else is not broken: where a
   * stream says a thing once, a lost word is a shorter answer.
   */
  isGood?(events: Events): boolean
}

/** The profile of a client of the Responses API. */
export function responsesSubject(client: Client): Subject {
  const model = MODELS[client]
  return {
    profile: `client:${client}`,
    rules: `${client}-`,
    versions: model.versions,
    families: FAMILIES,
    kinds: RESPONSES_KINDS,
    typeOf: ({ type }) => type,
    violations: (events) =>
      checkEvents(events as never, { profile: `client:${client}` }).filter(({ severity }) => severity === 'error'),
    isRefused: (events) => hasError(events, 'openai'),
    saysCompleted: (events) => COMPLETED.test(explain(events as never, client).text),
    predicted(events) {
      const reader = model.begin(() => {})
      for (const event of events) {
        if (typeof event === 'object' && event !== null && !Array.isArray(event)) reader.read(event as StreamEvent)
      }
      reader.end()
      return reader.seen
    },
    meant: (events) => meantBy(events, model.reads, client === 'langchain' ? langchainArguments : parsed),
    bodyOf,
    draw: drawDamages,
    isWhole: (events) =>
      events[0]?.type === 'response.created' &&
      events.some(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type)),
  }
}

/** Whether a profile finds an error. */
export const hasError = (events: Events, profile: 'openai' | 'chat' | 'messages'): boolean =>
  checkEvents(events as never, { profile }).some(({ severity }) => severity === 'error')

export const COMPLETED = /, and ends (well|without noticing)/
