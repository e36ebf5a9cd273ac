/** The limit of one message of a server, in bytes. */
export const MAX_MESSAGE_BYTES = 10_485_760
/**
 * The limit of the values in one message. Ten million bytes of text are read in milliseconds; as many of empty lists
 * take seconds, and a hundred megabytes of memory.
 */
const MAX_MESSAGE_VALUES = 250_000
/** How many lines are passed on in one turn of the event loop: the SDK takes a tenth of a millisecond to refuse one. */
const LINES_PER_TURN = 100

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
/** The bytes of the ASCII characters are below. */
const ASCII = 0x80
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const BRACKET = 0x5b
const BRACE = 0x7b

/** How the messages of a stream are separated: each is a line, an event of an event stream, or the whole body. */
export type Framing = 'lines' | 'events' | 'body'

/**
 * Limits the messages of a stream of bytes before anything parses them, and passes on whole lines: readers that search
 * or copy what they hold at each piece would do so for each byte of a server that sends single bytes. All line ends of
 * events become line feeds, since their parser takes quadratic time for others.
 */
export class MessageReader {
  readonly #framing: Framing
  #bytes = new Uint8Array(4096)
  /** How many bytes of it are in use. */
  #length = 0
  /** The bytes and the values of the unfinished message, whether or not they were passed on. */
  #size = 0
  #values = 0
  #lines = 0
  #isInText = false
  #isEscaped = false
  #isBlank = true
  #isAfterReturn = false

  constructor(framing: Framing) {
    this.#framing = framing
  }

  /** The bytes of the unfinished message. */
  get unfinished(): number {
    return this.#size
  }

  /** The lines that ended so far. */
  get lines(): number {
    return this.#lines
  }

  /**
   * Takes the next piece, cut anywhere.
   *
   * @returns whole lines, in parts of which one may be read in each turn of the event loop
   * @throws Error if a message is too long, or has too many values
   */
  push(piece: Uint8Array): Uint8Array[] {
    this.#reserve(piece.length)
    const parts: Uint8Array[] = []
    let from = 0
    let linesInPart = 0
    let whole = 0
    for (const byte of piece) {
      const isFeedOfReturn = byte === LF && this.#isAfterReturn
      this.#isAfterReturn = byte === CR && this.#framing === 'events'
      if (isFeedOfReturn) continue
      const isEnd = this.#framing !== 'body' && (byte === LF || (byte === CR && this.#framing === 'events'))
      this.#bytes[this.#length++] = isEnd ? LF : byte
      if (!isEnd) {
        this.#count(byte)
        continue
      }
      this.#endLine()
      whole = this.#length
      linesInPart += 1
      if (linesInPart < LINES_PER_TURN) continue
      parts.push(this.#bytes.slice(from, whole))
      from = whole
      linesInPart = 0
    }
    if (whole > from) parts.push(this.#bytes.slice(from, whole))
    this.#bytes.copyWithin(0, whole, this.#length)
    this.#length -= whole
    return parts
  }

  /** Returns what follows the last whole line. */
  end(): Uint8Array {
    this.#size = 0
    return this.#bytes.slice(0, this.#length)
  }

  #count(byte: number): void {
    this.#size += 1
    // No version of the protocol that is spoken here has batches, of which each message would be read in one turn.
    const isBatch = byte === BRACKET && this.#framing === 'body' && this.#isBlank
    if (isBatch) throw new Error('The server answered with a batch of messages.')
    // A body may begin with white space and a byte order mark.
    if (this.#framing !== 'body' || (byte > SPACE && byte < ASCII)) this.#isBlank = false
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isInText = false
    } else if (byte === QUOTE) this.#isInText = true
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) this.#values += 1
    this.#check()
  }

  #endLine(): void {
    this.#lines += 1
    // No text in JSON goes over the end of a line.
    this.#isInText = false
    this.#isEscaped = false
    if (this.#framing === 'lines' || this.#isBlank) {
      this.#size = 0
      this.#values = 0
    } else this.#size += 1
    this.#isBlank = true
  }

  #check(): void {
    if (this.#size > MAX_MESSAGE_BYTES) throw tooLarge(`is longer than ${MAX_MESSAGE_BYTES} bytes`)
    if (this.#values > MAX_MESSAGE_VALUES) throw tooLarge(`has more than ${MAX_MESSAGE_VALUES} values`)
  }

  /** Doubles the room, so that many small pieces are copied a few times only. */
  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}

function tooLarge(reason: string): Error {
  return new Error(`A message of the server ${reason}.`)
}
