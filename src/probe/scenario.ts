import type { Fields, StreamEvent } from '../conformance/stream-event.js'
import type { Fault } from './finding.js'
import type { Reply } from './send.js'

/** One thing that is asked of a server, in one request or some that belong together. */
export interface Scenario {
  /** Kebab-case, stable: `--only` takes it. */
  readonly name: string
  /** What it wants to see, in one sentence. */
  readonly asks: string
  run(server: Server): Promise<Outcome>
}

/**
 * Whether a scenario saw what it is about; where findings are, they decide. `inconclusive`: the model did something
 * else, which is its right. `unsupported`: the server refused an ability that is optional, as it should.
 */
export type Outcome = 'shown' | { readonly verdict: 'inconclusive' | 'unsupported'; readonly why: string }

export const inconclusive = (why: string): Outcome => ({ verdict: 'inconclusive', why })
export const unsupported = (why: string): Outcome => ({ verdict: 'unsupported', why })

/** How a request is sent, and what it means where it is refused. */
export interface Ask {
  /** A refusal is no finding: the ability is optional. */
  readonly isOptional?: boolean
  /** The finding that a refusal is. Default: that the request is a good one. */
  readonly refusal?: Pick<Fault, 'rule' | 'expected'>
}

/** An answer that the judge has seen. */
export interface Answer {
  /** Whether there is a response to go on with; where there is none, a finding or `refusal` says why. */
  readonly isGood: boolean
  /** The server's words, where it refused an optional ability. */
  readonly refusal?: string
  /** What was streamed; empty of an answer that was not. */
  readonly events: readonly StreamEvent[]
  /** The response: that of the terminal event, or the whole answer. */
  readonly response: Fields
  /** The items as clients send them back: those that were done, or those of the response. */
  readonly items: readonly Fields[]
}

/** The server, as a scenario sees it: what it sends is judged before the scenario has it. */
export interface Server {
  readonly model: string
  /** Asks for a stream, and judges it. */
  stream(request: string, body: Fields, ask?: Ask): Promise<Answer>
  /** Asks for an answer that is not streamed, and judges it. */
  answer(request: string, body: Fields, ask?: Ask): Promise<Answer>
  /** Asks for a stream, and leaves it in the middle. Resolves to the events that came. */
  leave(request: string, body: Fields, isEnough: (events: readonly StreamEvent[]) => boolean): Promise<Answer>
  /** Sends a body as it is, and judges nothing but that an answer comes; `undefined` where none does. */
  post(request: string, body: string): Promise<Reply | undefined>
  /** Asks for the rest of a stream, and judges its frames alone. `undefined` where a finding says why there is none. */
  resume(request: string, id: string, after: number): Promise<Resumed | undefined>
  /** Files a finding. */
  report(request: string, fault: Fault): void
  /** Files a sentence that is no finding. */
  note(text: string): void
}

/** The rest of a stream, or why there is none. */
export type Resumed =
  | { readonly events: readonly StreamEvent[]; readonly refusal?: undefined }
  | { readonly refusal: string; readonly events?: undefined }
