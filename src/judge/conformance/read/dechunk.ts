/** The size line of a chunk, such as `1a4` or `1a4;name=value`. */
const SIZE = /^([0-9a-f]{1,8})[ \t]*(;.*)?\r?$/i
const CHUNKED = /^transfer-encoding:.*\bchunked\b/i
/** The maximum length of a size line or header: text without a line end before that is no HTTP. */
const MAX_LINE = 16_384
/** How many characters of a capture are examined for chunks: almost no capture has any. */
const FIRST_LENGTH = 1024

type State = 'first line' | 'head' | 'body' | 'size' | 'data' | 'data end' | 'trailer' | 'off'

/** Receives a capture without its chunk sizes, in order. */
export interface DechunkerSink {
  text(text: string): void
  bytes(bytes: Uint8Array): void
  /** A line of the file is removed: line numbers stay those of the file. */
  skipLine(): void
}

/**
 * Removes the chunk sizes of `Transfer-Encoding: chunked` from a raw HTTP response: without that, a chunk that ends
 * within an event cuts it in two, and one that ends within a character destroys it. A capture without chunks passes
 * unchanged. It keeps at most one line.
 */
export class Dechunker {
  readonly #sink: DechunkerSink
  #state: State = 'first line'
  #line = ''
  #isChunked = false
  /** The bytes of the chunk that are still to come. */
  #left = 0
  /** Whether the capture comes as bytes, each as one character here. */
  #isBytes = false

  constructor(sink: DechunkerSink) {
    this.#sink = sink
  }

  push(piece: string | Uint8Array): void {
    if (typeof piece === 'string') {
      if (this.#state === 'off') this.#sink.text(piece)
      else this.#push(piece)
      return
    }
    this.#isBytes = true
    const isFirst = this.#state === 'first line' && piece.length > FIRST_LENGTH
    const start = this.#state === 'off' ? 0 : isFirst ? FIRST_LENGTH : piece.length
    if (start > 0) this.#push(charactersOf(piece.subarray(0, start)))
    const rest = piece.subarray(start)
    if (rest.length === 0) return
    if (this.#state === 'off') this.#sink.bytes(rest)
    else this.#push(charactersOf(rest))
  }

  /** Ends the capture. */
  end(): void {
    this.#giveUp()
  }

  #push(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'off') {
        this.#emit(text.slice(at))
        return
      }
      if (this.#state === 'data') {
        const end = this.#dataEnd(text, at)
        this.#emit(text.slice(at, end))
        at = end
        continue
      }
      const end = text.indexOf('\n', at)
      this.#line += end < 0 ? text.slice(at) : text.slice(at, end)
      at = end < 0 ? text.length : end + 1
      if (end >= 0) this.#takeLine()
      else if (this.#line.length > MAX_LINE || !mayGoOn(this.#state, this.#line)) this.#giveUp()
    }
  }

  #emit(text: string): void {
    if (text === '') return
    if (this.#isBytes) this.#sink.bytes(Uint8Array.from(text, (character) => character.charCodeAt(0)))
    else this.#sink.text(text)
  }

  #giveUp(): void {
    const held = this.#line
    this.#line = ''
    this.#state = 'off'
    this.#emit(held)
  }

  /** Takes a complete line: it begins a chunk, is removed, or belongs to the text. */
  #takeLine(): void {
    const line = this.#line
    this.#line = ''
    const size = SIZE.exec(line)
    const isEmpty = /^\r?$/.test(line)
    if (this.#state === 'trailer' || (this.#state === 'data end' && isEmpty)) {
      this.#sink.skipLine()
      if (this.#state === 'data end') this.#state = 'size'
      else if (isEmpty) {
        this.#isChunked = false
        this.#state = 'first line'
      }
      return
    }
    // `curl -i` prints the header, too, and the body without chunks.
    if (size !== null && this.#state !== 'head' && this.#state !== 'data end') {
      this.#left = Number.parseInt(size[1] as string, 16)
      this.#state = this.#left === 0 ? 'trailer' : 'data'
      this.#sink.skipLine()
      return
    }
    if (this.#state === 'head') {
      this.#isChunked ||= CHUNKED.test(line)
      if (isEmpty) this.#state = this.#isChunked ? 'body' : 'first line'
    } else this.#state = this.#state === 'first line' && /^HTTP\/[\d.]+ \d{3}/.test(line) ? 'head' : 'off'
    this.#emit(`${line}\n`)
  }

  /**
   * Returns where the present part of a chunk ends. Its size is in bytes, those of UTF-8 if the capture comes as text.
   */
  #dataEnd(text: string, start: number): number {
    let at = start
    while (at < text.length && this.#left > 0) {
      const code = text.charCodeAt(at++)
      // Each half of a surrogate pair is two of its four bytes.
      this.#left -= this.#isBytes || code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
    }
    if (this.#left <= 0) this.#state = 'data end'
    return at
  }
}

/** Bytes as characters, one each. */
function charactersOf(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/** Whether the beginning of a line may become one that matters, so that it has to be held back. */
function mayGoOn(state: State, line: string): boolean {
  if (state === 'first line')
    return 'HTTP/'.startsWith(line.slice(0, 5)) || /^[0-9a-f]{1,8}[ \t]*(;.*)?\r?$/i.test(line)
  if (state === 'body' || state === 'size') return /^[0-9a-f]{0,8}[ \t]*(;.*)?\r?$/i.test(line)
  if (state === 'data end') return line === '' || line === '\r'
  return true
}
