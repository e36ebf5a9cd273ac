import { type Fields, isFields } from '../../../shared/fields.js'
import type { Api } from '../api.js'
import { internedType } from '../by-type.js'
import { isTerminalType } from '../event-kind.js'
import { asFields, asList, asString, type StreamEvent } from '../stream-event.js'
import {
  CHUNK,
  type DetectedFormat,
  detectForeignChunk,
  detectForeignEvent,
  detectForeignJson,
  isChatChunk,
  unknownJson,
} from './capture-format.js'
import type { CaptureReports } from './capture-reports.js'
import { isHar } from './har.js'
import type { StreamRead } from './stream-read.js'
import { isOfClient } from './web-socket-log.js'

/** Whether an event of this type ends a stream of an API with typed events. */
export const isTerminalOf = (api: Api, type: string): boolean =>
  api === 'messages' ? type === 'message_stop' : isTerminalType(type)

/** The type of the event that begins a stream; chunks have none. */
const BEGINNINGS: Readonly<Record<Api, string | undefined>> = {
  responses: 'response.created',
  chat: undefined,
  messages: 'message_start',
}

/** The capture around its values. */
export interface Surroundings {
  /** Whether it consists of server-sent events. */
  readonly isSse: boolean
  /** Whether the stream has had its [DONE]. */
  readonly isDone: boolean
  /** The number of the line that is being read. */
  readonly line: number
  /** Called when another stream begins. */
  beginStream(): void
  /** Called with a HAR file, which contains captures. */
  har(value: unknown, line: number): void
}

/** Reads the parsed values of a capture: events of an API, other values in their place, and where each stream begins. */
export class ValueReader {
  readonly #api: Api
  readonly #take: (read: StreamRead) => void
  readonly #reports: CaptureReports
  readonly #around: Surroundings
  #isNextFirst = true
  #hasTerminal = false
  /** An error event came, which ends a stream as well. */
  #hasFailed = false
  /** An event that begins an answer came, with this id. */
  #hasBeginning = false
  #id: unknown
  /** For a reader of Chat Completions: the id of the last chunk. */
  #chatId: unknown

  constructor(api: Api, take: (read: StreamRead) => void, reports: CaptureReports, around: Surroundings) {
    this.#api = api
    this.#take = take
    this.#reports = reports
    this.#around = around
  }

  /** Reads a value. Returns its type, if it is an event. */
  value(value: unknown, line: number): string | undefined {
    this.#reports.recovered()
    if (this.#api === 'chat') return this.#chunk(value, line)
    if (isFields(value) && typeof value['type'] === 'string') return this.#event(value as StreamEvent, line)
    if (isHar(value)) this.#around.har(value, line)
    else this.#untyped(value, line)
    return undefined
  }

  #event(given: { type: string } & StreamEvent, line: number): string | undefined {
    const type = internedType(given.type)
    // The event was parsed here, and gets a type that is fast to look up.
    given.type = type
    if (this.#api === 'responses' && isOfClient(type)) {
      this.#reports.format({ format: 'web-socket', description: 'a log of a WebSocket' }, line)
      return undefined
    }
    const foreign = this.#isNextFirst ? detectForeignEvent(type, this.#api) : undefined
    if (foreign !== undefined) {
      this.#reports.format(foreign, line)
      return type
    }
    const isFirst = this.#beginsStream(given)
    if (isTerminalOf(this.#api, type)) this.#hasTerminal = true
    if (type === 'error') this.#hasFailed = true
    this.#take({ kind: 'event', event: given, line, isFirst })
    return type
  }

  #untyped(value: unknown, line: number): void {
    const given = detectForeignJson(value, this.#api)
    const isInPlace = this.#isInPlace(given)
    if (given !== undefined || !isInPlace) this.#reports.format(given ?? unknownJson(value), line, value)
    if (!isInPlace) return
    this.#take({ kind: 'untyped', value, line, isFirst: this.#beginsStream(undefined) })
  }

  /** Reads what may be a chunk of Chat Completions. Returns its `object`, or `error`, if it stands in a stream. */
  #chunk(value: unknown, line: number): string | undefined {
    if (isHar(value)) {
      this.#around.har(value, line)
      return undefined
    }
    const isChunk = isChatChunk(value)
    const foreign = isChunk ? undefined : detectForeignChunk(value)
    const isInPlace = isChunk || this.#isInPlace(foreign)
    if (!isInPlace) {
      this.#reports.format(foreign ?? unknownJson(value), line)
      return undefined
    }
    const { id, choices } = asFields(value)
    const choiceFields = asList(choices).map(asFields)
    const begins = choiceFields.some(({ delta }) => asString(asFields(delta)['role']) !== '')
    // The next stream of a file has another id, and comes after the end of the one before.
    const isNext = begins && id !== this.#chatId && (this.#hasTerminal || this.#around.isDone)
    const isFirst = this.#isNextFirst || isNext
    if (isNext && !this.#isNextFirst) this.endStream()
    this.#isNextFirst = false
    this.#chatId = id
    if (choiceFields.some(({ finish_reason: reason }) => typeof reason === 'string')) this.#hasTerminal = true
    this.#take({ kind: 'untyped', value, line, isFirst })
    return isChunk ? CHUNK : 'error'
  }

  /**
   * Whether a value that is no event stands in the place of one, as an error or unknown JSON does in a stream. Clients read a
   * value of another API in the middle of a body as well; elsewhere in a capture it is of another answer.
   */
  #isInPlace(foreign: DetectedFormat | undefined): boolean {
    const { isSse, isDone } = this.#around
    if (foreign === undefined || foreign.format === 'error') return isSse || !this.#isNextFirst
    return isSse && !this.#isNextFirst && !this.#hasTerminal && !isDone
  }

  /**
   * Whether an event begins a stream. If so, the previous stream ends. In one body, clients read on at a second beginning
   * until the terminal event; in a list of events, one of another answer shows that the stream before was cut off.
   */
  #beginsStream(event: StreamEvent | undefined): boolean {
    const isBeginning = event?.type === BEGINNINGS[this.#api]
    const id = isBeginning ? idIn(event ?? {}) : undefined
    const { isSse, isDone } = this.#around
    const isCut = !isSse && this.#hasBeginning && (id === undefined || id !== this.#id)
    const isOver = this.#hasTerminal || this.#hasFailed || isDone || isCut
    const isFirst = this.#isNextFirst || (isBeginning && isOver)
    if (isFirst && !this.#isNextFirst) this.endStream()
    this.#isNextFirst = false
    if (isBeginning) {
      this.#hasBeginning = true
      this.#id ??= id
    }
    return isFirst
  }

  /** Ends a stream: the next value begins another one. */
  endStream(): void {
    const { isSse, isDone, line } = this.#around
    if (isSse && this.#hasTerminal && !isDone) {
      const rule = 'done-at-end'
      this.#take({ kind: 'framing', rule, line, expected: 'data: [DONE]', got: 'the end of the stream' })
    }
    this.#around.beginStream()
    this.#hasTerminal = false
    this.#hasFailed = false
    this.#isNextFirst = true
    this.#hasBeginning = false
    this.#id = undefined
  }
}

/** The id of the answer that an event begins. */
const idIn = ({ response, message }: Fields): unknown => asFields(response ?? message)['id']
