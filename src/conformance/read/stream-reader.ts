import { check, describe } from '../../errors.js'
import { isFields } from '../../fields.js'
import { checkOptions, type OptionTable } from '../../options/check-options.js'
import { oneOf, wholeNumber } from '../../options/checks.js'
import type { Api } from '../api.js'
import { sharedType } from '../by-type.js'
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
import { CaptureText, isLogTime } from './capture-text.js'
import { HttpHead, isVerboseNoise, isVerboseStart, statusOf } from './curl.js'
import { Dechunker } from './dechunk.js'
import { bodiesOf, isHar } from './har.js'
import type { BrokenReason } from './json-scanner.js'
import { parseJson } from './parse-json.js'
import { isSseStart, SseReader } from './sse-reader.js'
import type { StreamRead } from './stream-read.js'
import { CaptureDecoder, type DecodedText } from './text-decoder.js'
import { isOfClient, messageIn } from './web-socket-log.js'

export interface StreamReaderOptions {
  /** The longest event, in UTF-16 code units. Longer ones are reported and skipped. Default 67,108,864. */
  readonly maxEventLength?: number
  /**
   * Which API the streams are of: those of the others are named as foreign. With `chat`, the chunks of Chat Completions are
   * read, as values without a type (`untyped`). Default `responses`.
   */
  readonly api?: Api
}

export const STREAM_READER_OPTIONS: OptionTable<StreamReaderOptions> = {
  maxEventLength: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'UTF-16 code units'),
  api: oneOf('responses', 'chat', 'messages'),
}

/** Reads one capture piece by piece. It needs memory for one event. */
export interface StreamReader {
  /**
   * Reads the next piece: text, or bytes in UTF-8 or UTF-16, split anywhere.
   *
   * @throws HarmonyResponsesError `bad_stream` if the piece is neither text nor bytes
   */
  push(piece: string | Uint8Array): StreamRead[]
  /** Ends the capture. Returns the event of an unfinished last frame, and the framing violations of the end. */
  end(): StreamRead[]
}

/** Longer than any event with an image, and far below the longest string of JavaScript. */
const MAX_EVENT_LENGTH = 2 ** 26

/**
 * How many bytes to decode at a time. Longer texts are slow to collect: with the lines that are parts of them, they take
 * more time and memory.
 */
const DECODED_LENGTH = 32 * 1024

/** How many formats of one capture to report: a file may hold any number of responses. */
const MAX_FORMATS = 100

/** A line of so many characters is named as one that never ends. */
const LONG_LINE = 1_000_000

const PAGE = /^\s*<(?:!doctype|html|head|body|\?xml)/i

/**
 * Creates a reader for captured streams: server-sent events; JSON events, one per line, over several lines or in an
 * array; the output of `curl -i` and `curl -v`; HAR files. It never throws because of the content of a capture, but
 * returns what is not an event as other kinds of {@link StreamRead}.
 *
 *     const reader = createStreamReader()
 *     for await (const piece of body) for (const read of reader.push(piece)) if (read.kind === 'event') take(read.event)
 *     for (const read of reader.end()) if (read.kind === 'event') take(read.event)
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function createStreamReader(options: StreamReaderOptions = {}): StreamReader {
  checkOptions('createStreamReader', options, STREAM_READER_OPTIONS)
  let reads: StreamRead[] = []
  const reader = readerInto(options, (read) => reads.push(read))
  const taken = (): StreamRead[] => {
    const all = reads
    if (all.length > 0) reads = []
    return all
  }
  return {
    push(piece) {
      reader.push(piece)
      return taken()
    },
    end() {
      reader.end()
      return taken()
    },
  }
}

/** What reads a capture, and passes on each thing that it finds. */
export interface ReaderInto {
  push(piece: string | Uint8Array): void
  end(): void
}

/**
 * As {@link createStreamReader}, which checks the options, but each event is passed on before the next one is parsed: a list
 * of them would outlive a collection of garbage.
 */
export function readerInto(
  { maxEventLength = MAX_EVENT_LENGTH, api = 'responses' }: StreamReaderOptions,
  take: (read: StreamRead) => void,
): ReaderInto {
  return new Reader(maxEventLength, api, take)
}

/** Whether an event of this type ends a stream of an API with typed events. */
export const isTerminalOf = (api: Api, type: string): boolean =>
  api === 'messages' ? type === 'message_stop' : isTerminalType(type)

/** The type of the event that begins a stream; chunks have none. */
const BEGINNINGS: Readonly<Record<Api, string | undefined>> = {
  responses: 'response.created',
  chat: undefined,
  messages: 'message_start',
}

class Reader implements ReaderInto {
  readonly #maxLength: number
  readonly #take: (read: StreamRead) => void
  readonly #decoder = new CaptureDecoder()
  readonly #text: CaptureText
  readonly #sse: SseReader
  readonly #chunks: Dechunker
  readonly #reportedFormats = new Set<string>()
  #isAtStart = true
  /** The capture starts with a byte order mark. */
  #hasMark = false
  #hasBytes = false
  /** The rest is ignored: it is binary, or an HTML page. */
  #isStopped = false
  #isSse = false
  /** The capture is the output of `curl -v`, with curl's own lines in between. */
  #isVerbose = false
  /** The HTTP head that is being read. */
  #head: HttpHead | undefined
  #isNextFirst = true
  #hasTerminal = false
  readonly #api: Api
  /** For a reader of Chat Completions: the id of the last chunk. */
  #chatId: unknown
  /** Broken text was reported, and no event has come since. */
  #isBroken = false

  constructor(maxLength: number, api: Api, take: (read: StreamRead) => void) {
    this.#maxLength = maxLength
    this.#take = take
    this.#api = api
    const broken = (head: string, line: number, why: BrokenReason): void => this.#reportBroken(head, line, why)
    this.#text = new CaptureText(
      {
        mayBeJson: () => !this.#isSse && !this.#isVerbose && this.#head === undefined,
        line: (line, number, isCut) => this.#takeLine(line, number, isCut),
        value: (text, line) => this.#takeJson(text, line),
        broken,
      },
      maxLength,
    )
    this.#chunks = new Dechunker({
      text: (text) => this.#takeText(text),
      bytes: (bytes) => this.#takeDecoded(this.#decoder.decode(bytes)),
      skipLine: () => {
        this.#text.lines.line++
      },
    })
    this.#sse = new SseReader(
      {
        value: (json, line) => this.#takeValue(json, line),
        framing: take,
        broken,
      },
      this.#text.lines,
      maxLength,
    )
  }

  push(piece: string | Uint8Array): void {
    // Not `instanceof Uint8Array`, which fails for bytes from another realm, such as a test runner's.
    const isBytes = ArrayBuffer.isView(piece)
    check(isBytes || typeof piece === 'string', 'createStreamReader.push', 'text or bytes', piece, 'bad_stream')
    if (!isBytes) {
      this.#chunks.push(piece)
      return
    }
    this.#hasBytes = true
    const { buffer, byteOffset: from, byteLength: length } = piece
    for (let at = 0; at < length; at += DECODED_LENGTH) {
      this.#chunks.push(new Uint8Array(buffer, from + at, Math.min(DECODED_LENGTH, length - at)))
    }
  }

  end(): void {
    this.#chunks.end()
    if (this.#hasBytes) this.#takeDecoded(this.#decoder.end())
    if (!this.#isStopped) {
      const isCut = this.#text.end()
      if (this.#isSse) this.#sse.end(isCut)
      this.#endStream()
    }
  }

  // ---------------------------------------------------------------------------------------------------------- text

  #takeDecoded({ text, format, invalidAt }: DecodedText): void {
    if (format !== undefined) this.#reportFormat(format, 1)
    if (format !== undefined && format.format !== 'utf-16') this.#isStopped = true
    this.#takeText(text.slice(0, invalidAt))
    if (invalidAt === undefined) return
    const { line } = this.#text.lines
    this.#takeText(text.slice(invalidAt))
    if (!this.#isSse) return
    this.#take({ kind: 'framing', rule: 'text-encoding', line, expected: 'UTF-8', got: 'other bytes' })
  }

  #takeText(piece: string): void {
    if (piece === '' || this.#isStopped) return
    if (!this.#isAtStart) {
      this.#text.push(piece)
      return
    }
    this.#isAtStart = false
    this.#hasMark = piece.startsWith('\ufeff')
    // Gzip that was decoded as text before it came here.
    if (piece.startsWith('\u001f\ufffd') || piece.startsWith('\u001f\u008b'))
      this.#stop({ format: 'gzip', description: 'gzip' }, 1)
    else this.#text.push(this.#hasMark ? piece.slice(1) : piece)
  }

  #takeLine(line: string, number: number, isCut: boolean): void {
    if (this.#isStopped) return
    if (this.#head !== undefined) this.#takeHeader(this.#head, line, number)
    else if (this.#isVerbose && isVerboseNoise(line))
      this.#beginHttpHead(line.startsWith('< ') ? statusOf(line.slice(2)) : undefined)
    else if (this.#isSse) {
      if (!this.#sse.take(line, number, isCut)) this.#beginHttpHead(statusOf(line))
    } else if (line.trim() !== '') this.#takeFirst(line, number, isCut)
  }

  /** Recognizes the format by a line. */
  #takeFirst(line: string, number: number, isCut: boolean): void {
    const status = statusOf(line)
    if (status !== undefined) this.#beginHttpHead(status)
    else if (!this.#isVerbose && isVerboseStart(line)) this.#isVerbose = true
    else if (isSseStart(line)) {
      this.#isSse = true
      if (this.#hasMark) {
        const rule = 'no-mark-at-start'
        this.#take({ kind: 'framing', rule, line: number, expected: 'no byte order mark', got: 'U+FEFF' })
      }
      this.#sse.take(line, number, isCut)
    } else if (/^[ \t]*[{[]/.test(line) && !isLogTime(line)) this.#text.scan(line, number)
    else if (PAGE.test(line)) {
      const title = /<title[^>]*>([^<]*)/i.exec(line)?.[1]?.trim() ?? ''
      this.#stop(
        { format: 'html', description: `an HTML page${title === '' ? '' : `: ${title.slice(0, 100)}`}` },
        number,
      )
    } else this.#takeOther(line, number, isCut)
  }

  /** A line of a log, or one that is nothing known. */
  #takeOther(line: string, number: number, isCut: boolean): void {
    const message = messageIn(line)
    if (message === undefined) {
      const isEndless = isCut && line.length >= LONG_LINE
      this.#reportBroken(line.slice(0, 80), number, isEndless ? 'endless' : 'cut', line.length)
      return
    }
    this.#reportFormat({ format: 'web-socket', description: 'a log of a WebSocket' }, number)
    if (message.event !== undefined) this.#takeValue(message.event, number)
  }

  /** Begins to read an HTTP head. */
  #beginHttpHead(status: number | undefined): void {
    if (status === undefined) return
    if (this.#isSse) this.#sse.take('', this.#text.lines.line)
    this.#endStream()
    this.#isSse = false
    this.#head = new HttpHead(status)
  }

  #takeHeader(head: HttpHead, given: string, number: number): void {
    const line = given.replace(/^< ?/, '')
    if (line !== '') {
      // Includes curl's own lines within the head, such as `* Mark bundle as not supporting multiuse`.
      head.header(line)
      return
    }
    this.#head = undefined
    // The head of the final response follows an interim one such as `100 Continue`.
    if (head.status < 200) return
    this.#reportFormat(
      { format: 'curl', description: `curl ${this.#isVerbose ? '-v' : '-i'} output, ${head.description}` },
      number,
    )
    const { encoding } = head
    if (encoding === undefined) return
    this.#stop({ format: 'binary', description: `a body in ${encoding}, which curl --compressed unpacks` }, number)
  }

  // -------------------------------------------------------------------------------------------------------- values

  #takeJson(text: string, line: number): void {
    if (this.#isStopped) return
    const json = parseJson(text)
    if (json === undefined) this.#reportBroken(text.slice(0, 80), line, 'cut')
    else this.#takeValue(json.value, line)
  }

  /** Reads a parsed value. Returns its type, if it is an event. */
  #takeValue(value: unknown, line: number): string | undefined {
    this.#isBroken = false
    if (this.#api === 'chat') return this.#takeChunk(value, line)
    if (isFields(value) && typeof value['type'] === 'string') {
      const event = withSharedType(value as StreamEvent)
      if (this.#api === 'responses' && isOfClient(event.type)) {
        this.#reportFormat({ format: 'web-socket', description: 'a log of a WebSocket' }, line)
        return undefined
      }
      const foreign = this.#isNextFirst ? detectForeignEvent(event.type, this.#api) : undefined
      if (foreign !== undefined) {
        this.#reportFormat(foreign, line)
        return event.type
      }
      const isFirst = this.#beginsStream(event.type)
      if (isTerminalOf(this.#api, event.type)) this.#hasTerminal = true
      this.#take({ kind: 'event', event, line, isFirst })
      return event.type
    }
    if (isHar(value)) this.#takeHar(value, line)
    else this.#takeUntyped(value, line)
    return undefined
  }

  #takeUntyped(value: unknown, line: number): void {
    const given = detectForeignJson(value, this.#api)
    // Within a stream, an error or unknown JSON stands in the place of an event.
    const isInPlace = (given === undefined || given.format === 'error') && this.#isWithin()
    if (given !== undefined || !isInPlace) this.#reportFormat(given ?? unknownJson(value), line, value)
    if (!isInPlace) return
    this.#take({ kind: 'untyped', value, line, isFirst: this.#beginsStream(undefined) })
  }

  /** Reads what may be a chunk of Chat Completions. Returns its `object`, or `error`, if it stands in a stream. */
  #takeChunk(value: unknown, line: number): string | undefined {
    if (isHar(value)) {
      this.#takeHar(value, line)
      return undefined
    }
    const isChunk = isChatChunk(value)
    const foreign = isChunk ? undefined : detectForeignChunk(value)
    // Within a stream, an error or unknown JSON stands in the place of a chunk.
    const isInPlace = isChunk || ((foreign === undefined || foreign.format === 'error') && this.#isWithin())
    if (!isInPlace) {
      this.#reportFormat(foreign ?? unknownJson(value), line)
      return undefined
    }
    const { id, choices } = asFields(value)
    const said = asList(choices).map(asFields)
    const begins = said.some(({ delta }) => asString(asFields(delta)['role']) !== '')
    // The next stream of a file has another id, and comes after the end of the one before.
    const isNext = begins && id !== this.#chatId && (this.#hasTerminal || this.#sse.isDone)
    const isFirst = this.#isNextFirst || isNext
    if (isNext && !this.#isNextFirst) this.#endStream()
    this.#isNextFirst = false
    this.#chatId = id
    if (said.some(({ finish_reason: reason }) => typeof reason === 'string')) this.#hasTerminal = true
    this.#take({ kind: 'untyped', value, line, isFirst })
    return isChunk ? CHUNK : 'error'
  }

  /** Whether a value stands in a stream. */
  #isWithin(): boolean {
    return this.#isSse || !this.#isNextFirst
  }

  #takeHar(har: unknown, line: number): void {
    const bodies = bodiesOf(har)
    this.#reportFormat(
      { format: 'har', description: `a HAR file${bodies.length === 0 ? ' without the body of a stream' : ''}` },
      line,
    )
    for (const { source, body } of bodies) {
      this.#endStream()
      this.#reportFormat({ format: 'har', description: source }, line)
      const reader = new Reader(this.#maxLength, this.#api, this.#take)
      reader.push(body)
      reader.end()
    }
  }

  /** Whether an event begins a stream. If so, the previous stream ends. */
  #beginsStream(type: string | undefined): boolean {
    const isFirst = this.#isNextFirst || type === BEGINNINGS[this.#api]
    if (isFirst && !this.#isNextFirst) this.#endStream()
    this.#isNextFirst = false
    return isFirst
  }

  #endStream(): void {
    if (this.#isSse && this.#hasTerminal && !this.#sse.isDone) {
      const { line } = this.#text.lines
      this.#take({
        kind: 'framing',
        rule: 'done-at-end',
        line,
        expected: 'data: [DONE]',
        got: 'the end of the stream',
      })
    }
    this.#sse.beginStream()
    this.#hasTerminal = false
    this.#isNextFirst = true
  }

  // ------------------------------------------------------------------------------------------------------- reports

  #reportFormat(given: DetectedFormat, line: number, value?: unknown): void {
    // Reports unknown JSON only once, as its description has the names of its fields.
    const key = given.format === 'json' ? given.format : `${given.format} ${given.description}`
    if (this.#reportedFormats.has(key) || this.#reportedFormats.size === MAX_FORMATS) return
    this.#reportedFormats.add(key)
    this.#take({ kind: 'format', ...given, line, ...(given.format === 'response' ? { value } : {}) })
  }

  #stop(given: DetectedFormat, line: number): void {
    this.#reportFormat(given, line)
    this.#isStopped = true
  }

  /** Reports broken text: only the beginning of a run of it. */
  #reportBroken(head: string, line: number, why: BrokenReason, length = this.#maxLength): void {
    if (this.#isStopped || (this.#isBroken && why === 'cut')) return
    this.#isBroken = true
    const expected = {
      cut: 'an event as JSON',
      long: `an event of at most ${this.#maxLength} characters`,
      deep: 'an event with less nesting',
      endless: `an event of at most ${this.#maxLength} characters`,
    }[why]
    const got = why === 'endless' ? `no newline in ${sizeOf(length)}: ${describe(head)}` : describe(head)
    this.#take({ kind: 'broken', line, expected, got })
  }
}

/** The event, which was parsed here, with a type that is fast to look up. */
function withSharedType(event: { type: string } & StreamEvent): StreamEvent {
  event.type = sharedType(event.type)
  return event
}

const sizeOf = (length: number): string =>
  length < LONG_LINE ? `${length} characters` : `${Math.round(length / 1e6)} MB`
