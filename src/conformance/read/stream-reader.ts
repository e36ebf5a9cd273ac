import { check, describe } from '../../errors.js'
import { isFields, type StreamEvent } from '../stream-event.js'
import { CaptureText } from './capture-text.js'
import { beginsVerbose, HttpHead, isVerboseNoise, statusOf } from './curl.js'
import { anyJson, foreignValue, type Given } from './given.js'
import { bodiesOf, isHar } from './har.js'
import type { Broken } from './json-scanner.js'
import type { StreamRead } from './reads.js'
import { beginsSse, parsed, SseReader } from './sse-reader.js'
import { CaptureDecoder, type DecodedText } from './text-decoder.js'

export interface StreamReaderOptions {
  /** The longest event, in UTF-16 code units; longer ones are told and passed over. Default 67,108,864. */
  readonly maxEventLength?: number
}

/** Reads one capture, piece by piece, in memory for one event. */
export interface StreamReader {
  /**
   * Takes the next piece: text, or bytes (UTF-8, or UTF-16), cut anywhere.
   *
   * @throws HarmonyResponsesError `bad_stream`: the piece is neither
   */
  push(piece: string | Uint8Array): StreamRead[]
  /** The capture is over: gives what its last frame lacks, and that frame's event. */
  end(): StreamRead[]
}

/** Longer than any image that an event brings, and far below what JavaScript can hold as one string. */
const MAX_EVENT_LENGTH = 2 ** 26

/** So many forms of a capture are named: a file may hold any number of answers. */
const MAX_NAMED = 100

const TERMINAL = /^response\.(completed|incomplete|failed)$/
const PAGE = /^\s*<(?:!doctype|html|head|body|\?xml)/i

/**
 * A reader of captured streams: server-sent events; events as JSON, one a line or over several, or in an array; what
 * `curl -i` and `curl -v` print; HAR files. It never throws for what it reads: what is no event is among its reads.
 *
 *     const reader = createStreamReader()
 *     for await (const piece of body) for (const read of reader.push(piece)) if (read.kind === 'event') take(read.event)
 *     for (const read of reader.end()) if (read.kind === 'event') take(read.event)
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function createStreamReader({ maxEventLength = MAX_EVENT_LENGTH }: StreamReaderOptions = {}): StreamReader {
  const isLength = Number.isInteger(maxEventLength) && maxEventLength > 0
  check(isLength, 'maxEventLength', 'a positive integer', maxEventLength)
  return new Reader(maxEventLength)
}

class Reader implements StreamReader {
  readonly #maxLength: number
  readonly #decoder = new CaptureDecoder()
  readonly #text: CaptureText
  readonly #sse: SseReader
  readonly #named = new Set<string>()
  #reads: StreamRead[] = []
  #isAtStart = true
  /** A byte order mark begins it. */
  #hasMark = false
  #hasBytes = false
  /** What comes is not looked at: it is no text, or a page. */
  #isDead = false
  #isSse = false
  /** It is what `curl -v` prints: curl's own words stand between the lines. */
  #isVerbose = false
  /** The head of an HTTP answer that is read. */
  #head: HttpHead | undefined
  #isNextFirst = true
  #hasTerminal = false
  /** What is no event was told, and no event has come since. */
  #isBroken = false

  constructor(maxLength: number) {
    this.#maxLength = maxLength
    const broken = (head: string, line: number, why: Broken): void => this.#break(head, line, why)
    this.#text = new CaptureText(
      {
        mayBeJson: () => !this.#isSse && !this.#isVerbose && this.#head === undefined,
        line: (line, number, isCut) => this.#takeLine(line, number, isCut),
        value: (text, line) => this.#takeJson(text, line),
        broken,
      },
      maxLength,
    )
    this.#sse = new SseReader(
      {
        value: (json, line) => this.#takeValue(json, line),
        framing: (read) => this.#reads.push(read),
        broken,
      },
      this.#text.lines,
      maxLength,
    )
  }

  push(piece: string | Uint8Array): StreamRead[] {
    // Not by class: bytes of another realm are bytes all the same.
    const isBytes = ArrayBuffer.isView(piece)
    check(isBytes || typeof piece === 'string', 'createStreamReader.push', 'text or bytes', piece, 'bad_stream')
    if (isBytes) {
      this.#hasBytes = true
      this.#takeDecoded(this.#decoder.decode(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)))
    } else this.#takeText(piece)
    return this.#taken()
  }

  end(): StreamRead[] {
    if (this.#hasBytes) this.#takeDecoded(this.#decoder.end())
    if (!this.#isDead) {
      const isCut = this.#text.end()
      if (this.#isSse) this.#sse.end(isCut)
      this.#endStream()
    }
    return this.#taken()
  }

  #taken(): StreamRead[] {
    const reads = this.#reads
    if (reads.length > 0) this.#reads = []
    return reads
  }

  // ---------------------------------------------------------------------------------------------------------- text

  #takeDecoded({ text, given, badAt }: DecodedText): void {
    if (given !== undefined) this.#name(given, 1)
    if (given !== undefined && given.format !== 'utf-16') this.#isDead = true
    this.#takeText(text.slice(0, badAt))
    if (badAt === undefined) return
    const { line } = this.#text.lines
    this.#takeText(text.slice(badAt))
    if (!this.#isSse) return
    this.#reads.push({ kind: 'framing', rule: 'text-encoding', line, expected: 'UTF-8', got: 'other bytes' })
  }

  #takeText(piece: string): void {
    if (piece === '' || this.#isDead) return
    if (!this.#isAtStart) {
      this.#text.push(piece)
      return
    }
    this.#isAtStart = false
    this.#hasMark = piece.startsWith('\ufeff')
    // Somebody has decoded gzip as if it were text.
    if (piece.startsWith('\u001f\ufffd') || piece.startsWith('\u001f\u008b'))
      this.#die({ format: 'gzip', words: 'gzip' }, 1)
    else this.#text.push(this.#hasMark ? piece.slice(1) : piece)
  }

  #takeLine(line: string, number: number, isCut: boolean): void {
    if (this.#isDead) return
    if (this.#head !== undefined) this.#takeHeader(this.#head, line, number)
    else if (this.#isVerbose && isVerboseNoise(line))
      this.#begin(line.startsWith('< ') ? statusOf(line.slice(2)) : undefined)
    else if (this.#isSse) {
      if (!this.#sse.take(line, number, isCut)) this.#begin(statusOf(line))
    } else if (line.trim() !== '') this.#takeFirst(line, number, isCut)
  }

  /** A line that says what comes. */
  #takeFirst(line: string, number: number, isCut: boolean): void {
    const status = statusOf(line)
    if (status !== undefined) this.#begin(status)
    else if (!this.#isVerbose && beginsVerbose(line)) this.#isVerbose = true
    else if (beginsSse(line)) {
      this.#isSse = true
      if (this.#hasMark) {
        const rule = 'no-mark-at-start'
        this.#reads.push({ kind: 'framing', rule, line: number, expected: 'no byte order mark', got: 'U+FEFF' })
      }
      this.#sse.take(line, number, isCut)
    } else if (/^[ \t]*[{[]/.test(line)) this.#text.scan(line, number)
    else if (PAGE.test(line)) {
      const title = /<title[^>]*>([^<]*)/i.exec(line)?.[1]?.trim() ?? ''
      this.#die({ format: 'html', words: `an HTML page${title === '' ? '' : `: ${title.slice(0, 100)}`}` }, number)
    } else this.#break(line.slice(0, 80), number, 'cut')
  }

  /** The head of an HTTP answer begins. */
  #begin(status: number | undefined): void {
    if (status === undefined) return
    if (this.#isSse) this.#sse.take('', this.#text.lines.line)
    this.#endStream()
    this.#isSse = false
    this.#head = new HttpHead(status)
  }

  #takeHeader(head: HttpHead, given: string, number: number): void {
    const line = given.replace(/^< ?/, '')
    if (line !== '') {
      // curl says more while it reads the head: `* Mark bundle as not supporting multiuse`.
      head.header(line)
      return
    }
    this.#head = undefined
    // The head of the answer itself comes after that of `100 Continue`.
    if (head.status < 200) return
    this.#name({ format: 'curl', words: `curl ${this.#isVerbose ? '-v' : '-i'} output, ${head.words}` }, number)
    const { encoding } = head
    if (encoding === undefined) return
    this.#die({ format: 'binary', words: `a body in ${encoding}, which curl --compressed unpacks` }, number)
  }

  // -------------------------------------------------------------------------------------------------------- values

  #takeJson(text: string, line: number): void {
    if (this.#isDead) return
    const json = parsed(text)
    if (json === undefined) this.#break(text.slice(0, 80), line, 'cut')
    else this.#takeValue(json.value, line)
  }

  /** Returns the type of an event. */
  #takeValue(value: unknown, line: number): string | undefined {
    this.#isBroken = false
    if (isFields(value) && typeof value['type'] === 'string') {
      const event = value as StreamEvent
      const isFirst = this.#beginsStream(event.type)
      if (TERMINAL.test(event.type)) this.#hasTerminal = true
      this.#reads.push({ kind: 'event', event, line, isFirst })
      return event.type
    }
    if (isHar(value)) this.#takeHar(value, line)
    else this.#takeUntyped(value, line)
    return undefined
  }

  #takeUntyped(value: unknown, line: number): void {
    const given = foreignValue(value)
    // In the midst of a stream, an error and what nobody knows stand in the place of an event.
    const isInPlace = (given === undefined || given.format === 'error') && (this.#isSse || !this.#isNextFirst)
    if (given !== undefined || !isInPlace) this.#name(given ?? anyJson(value), line, value)
    if (!isInPlace) return
    this.#reads.push({ kind: 'untyped', value, line, isFirst: this.#beginsStream(undefined) })
  }

  #takeHar(har: unknown, line: number): void {
    const bodies = bodiesOf(har)
    this.#name(
      { format: 'har', words: `a HAR file${bodies.length === 0 ? ' without the body of a stream' : ''}` },
      line,
    )
    for (const { source, body } of bodies) {
      this.#endStream()
      this.#name({ format: 'har', words: source }, line)
      const reader = new Reader(this.#maxLength)
      for (const read of reader.push(body)) this.#reads.push(read)
      for (const read of reader.end()) this.#reads.push(read)
    }
  }

  /** Whether an event begins a stream, which ends the one before it. */
  #beginsStream(type: string | undefined): boolean {
    const isFirst = this.#isNextFirst || type === 'response.created'
    if (isFirst && !this.#isNextFirst) this.#endStream()
    this.#isNextFirst = false
    return isFirst
  }

  #endStream(): void {
    if (this.#isSse && this.#hasTerminal && !this.#sse.isDone) {
      const { line } = this.#text.lines
      this.#reads.push({ kind: 'framing', rule: 'done-at-end', line, expected: 'data: [DONE]', got: 'the end' })
    }
    this.#sse.beginStream()
    this.#hasTerminal = false
    this.#isNextFirst = true
  }

  // --------------------------------------------------------------------------------------------------------- words

  #name(given: Given, line: number, value?: unknown): void {
    // JSON that nobody knows may have any fields.
    const key = given.format === 'json' ? given.format : `${given.format} ${given.words}`
    if (this.#named.has(key) || this.#named.size === MAX_NAMED) return
    this.#named.add(key)
    this.#reads.push({ kind: 'given', ...given, line, ...(given.format === 'response' ? { value } : {}) })
  }

  #die(given: Given, line: number): void {
    this.#name(given, line)
    this.#isDead = true
  }

  /** Of a run of text that is no event, its beginning is told. */
  #break(head: string, line: number, why: Broken): void {
    if (this.#isBroken && why === 'cut') return
    this.#isBroken = true
    const expected = {
      cut: 'an event as JSON',
      long: `an event of at most ${this.#maxLength} characters`,
      deep: 'an event that is not so deep',
    }[why]
    this.#reads.push({ kind: 'broken', line, expected, got: describe(head) })
  }
}
