import type { Fields } from '../../shared/fields.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import type { ChatServer } from './chat/chat-server.js'
import type { Fault } from './finding.js'
import type { MessagesServer } from './messages/messages-server.js'
import type { OnRefusal } from './on-refusal.js'
import type { Reply } from './send.js'

/** A test of a server, with one or several requests. */
export interface Scenario {
  /** In kebab-case. Stable, because `--only` accepts it. */
  readonly name: string
  /** The purpose of the scenario, in one sentence. */
  readonly asks: string
  run(server: Server): Promise<Outcome>
}

/**
 * Whether a scenario could be carried out. If there are findings, they decide instead. `inconclusive`: the model did
 * something else, which is not a fault. `unsupported`: the server correctly refused an optional feature.
 */
export type Outcome = 'observed' | { readonly verdict: 'inconclusive' | 'unsupported'; readonly why: string }

export const inconclusive = (why: string): Outcome => ({ verdict: 'inconclusive', why })
export const unsupported = (why: string): Outcome => ({ verdict: 'unsupported', why })

/** An answer, after it was judged. */
export interface Answer {
  /** Whether there is a response to continue with; if not, a finding or `refusal` explains why. */
  readonly isGood: boolean
  /** The server's message, if it refused an optional feature. */
  readonly refusal?: string
  /** The streamed events; empty for an answer that was not streamed. */
  readonly events: readonly StreamEvent[]
  /** The response in the terminal event, or the complete answer. */
  readonly response: Fields
  /** The items as clients send them back: the done items, or those of the response. */
  readonly items: readonly Fields[]
}

/** The server for a scenario. It judges every answer before it returns it. */
export interface Server {
  readonly model: string
  /** Requests a stream, and judges it. */
  stream(request: string, body: Fields, ask?: OnRefusal): Promise<Answer>
  /** Requests an answer without streaming, and judges it. */
  answer(request: string, body: Fields, ask?: OnRefusal): Promise<Answer>
  /** Requests a stream, and closes it as soon as `isEnough` returns true. Resolves to the events so far. */
  leave(request: string, body: Fields, isEnough: (events: readonly StreamEvent[]) => boolean): Promise<Answer>
  /** Sends a body unchanged, and judges only whether an answer comes. Resolves to undefined if none does. */
  post(request: string, body: string): Promise<Reply | undefined>
  /**
   * Requests the rest of a stream, and judges only its frames. Resolves to undefined if a finding explains why it
   * failed.
   */
  resume(request: string, id: string, after: number): Promise<Resumed | undefined>
  /** Requests a response in the background, which need not have ended. Resolves to undefined if a finding explains why. */
  begin(request: string, body: Fields): Promise<Stored | undefined>
  /** Reads a stored response, or cancels it first. Resolves to undefined if a finding explains why it failed. */
  stored(request: string, id: string, action?: 'cancel'): Promise<Stored | undefined>
  /** The same server by its other API. */
  readonly chat: ChatServer
  /** The same server by the Messages API. */
  readonly messages: MessagesServer
  /** Adds a finding. */
  report(request: string, fault: Fault): void
  /** Adds a note, which is not a finding. */
  note(text: string): void
}

/** A response that is stored, or the reason why the server has none. */
export type Stored = { readonly response: Fields } | { readonly refusal: string }

/** The rest of a stream, or the reason why there is none. */
export type Resumed =
  | { readonly events: readonly StreamEvent[]; readonly refusal?: undefined }
  | { readonly refusal: string; readonly events?: undefined }
