import type { Fields } from '../../shared/fields.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import {
  connectionLeftOpen,
  incompleteAnswer,
  notJson,
  notStreamed,
  refusedRequest,
  wrongContentType,
} from './faults.js'
import type { Fault, Finding } from './finding.js'
import { objectIn, type Refusal, readRefusal } from './judge-answer.js'
import type { Judgement } from './judge-events.js'
import type { OnRefusal } from './on-refusal.js'
import type { HttpStreamReader } from './read-stream.js'
import type { Limits, Reply } from './send.js'

/** The sink of findings in replies. */
export interface ReplySink {
  readonly limits: Limits
  report(request: string, fault: Fault): void
  /** Adds a finding about a stream with these events. */
  add(finding: Finding, events: readonly StreamEvent[]): void
  note(text: string): void
  /** Reads the body of an error. Default: OpenAI's. */
  readRefusal?(contentType: string, text: string): Refusal
}

/** Why there is no answer: the server declined an optional feature, or a finding explains it. */
export interface NoAnswer {
  /** The server's message, if it refused an optional feature. */
  readonly declined: string | undefined
}

/**
 * Judges the replies of a server by any API: their status, their framing and their type. The content is judged by API.
 */
export class JudgedReplies {
  readonly #sink: ReplySink

  constructor(sink: ReplySink) {
    this.#sink = sink
  }

  /** Judges the status. Undefined if it is 200, and there is an answer to read. */
  refused(request: string, reply: Reply, { isOptional = false, refusal }: OnRefusal): NoAnswer | undefined {
    const { status, contentType, text } = reply
    if (status === 200) return undefined
    const { report, readRefusal: read = readRefusal } = this.#sink
    const { message, faults } = read(contentType, text)
    if (status >= 400 && status < 500 && isOptional) {
      for (const fault of faults) report(request, fault)
      return { declined: `${status}: ${message}` }
    }
    report(request, status === 0 ? this.#incomplete(reply) : refusedRequest(reply, message, refusal))
    return { declined: undefined }
  }

  /**
   * Judges a streamed answer and its events. Returns whether it is complete; undefined if there is no stream.
   *
   * @param judge - judges the events; `isWhole` is false if the stream was cut off
   */
  stream(
    request: string,
    reply: Reply,
    reader: HttpStreamReader,
    judge: (isWhole: boolean) => Judgement,
  ): boolean | undefined {
    const { report, add, note } = this.#sink
    const { end, contentType, text } = reply
    const { events } = reader
    const isWhole = end === 'whole' || end === 'open'
    if (end === 'whole' && (events.length > 0 || contentType === 'text/event-stream')) reader.end()
    if ((events.length === 0 && reader.faults.length === 0) || objectIn(text) !== undefined) {
      report(request, isWhole ? notStreamed(reply) : this.#incomplete(reply))
      return undefined
    }
    if (contentType !== 'text/event-stream') report(request, wrongContentType('text/event-stream', reply))
    for (const fault of reader.faults) report(request, fault)
    if (!isWhole && end !== 'left') report(request, this.#incomplete(reply, events.length))
    const { findings, notes } = judge(isWhole)
    for (const finding of findings) add(finding, events)
    for (const words of notes) note(words)
    if (end === 'open') report(request, connectionLeftOpen())
    return isWhole
  }

  /** Judges an answer that was not streamed. Undefined if it is no JSON object. */
  whole(request: string, reply: Reply): Fields | undefined {
    const { report } = this.#sink
    if (reply.end !== 'whole') {
      report(request, this.#incomplete(reply))
      return undefined
    }
    const answer = objectIn(reply.text)
    if (answer === undefined) report(request, notJson(reply))
    else if (reply.contentType !== 'application/json') report(request, wrongContentType('application/json', reply))
    return answer
  }

  /** Judges only whether an answer came. Undefined if none did. */
  any(request: string, reply: Reply): Reply | undefined {
    if (reply.status !== 0 && reply.end === 'whole') return reply
    this.#sink.report(request, this.#incomplete(reply))
    return undefined
  }

  #incomplete(reply: Reply, events = 0): Fault {
    return incompleteAnswer(reply, events, this.#sink.limits)
  }
}
