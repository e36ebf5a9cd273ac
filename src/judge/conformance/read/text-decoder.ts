import { type DetectedFormat, detectBinary } from './capture-format.js'

/** The decoded text of a piece. */
export interface DecodedText {
  readonly text: string
  /** The format of the bytes, if they are not UTF-8 text; reported once. */
  readonly format?: DetectedFormat
  /** The position in `text` of the first invalid UTF-8; reported once. */
  readonly invalidAt?: number
}

/**
 * Decodes bytes as UTF-8, or as UTF-16 if a byte order mark or zero bytes show that. It recognizes binary formats.
 */
export class CaptureDecoder {
  #utf: TextDecoder | undefined
  /** The decoder throws at invalid UTF-8. Once it has, another one takes its place, which does not. */
  #isStrict = false
  /** The bytes of a character whose rest comes in the next piece. */
  #rest: Uint8Array = new Uint8Array(0)
  /** The first bytes, until they are enough to detect the format. */
  #head: Uint8Array = new Uint8Array(0)
  #isDetected = false

  decode(bytes: Uint8Array): DecodedText {
    if (this.#isDetected) return this.#decode(bytes)
    const head = joined(this.#head, bytes)
    this.#head = head
    // One byte is not enough to recognize UTF-16 or gzip.
    if (head.length < 2) return { text: '' }
    return this.#detect(head)
  }

  /** Ends the bytes. */
  end(): DecodedText {
    const { text, ...more } = this.#isDetected ? { text: '' } : this.#detect(this.#head)
    const isCut = this.#isStrict && this.#rest.length > 0
    const last = isCut ? this.#loosen(new Uint8Array(0), false) : { text: this.#utf?.decode() ?? '' }
    return { ...more, ...last, text: text + last.text }
  }

  #detect(head: Uint8Array): DecodedText {
    this.#isDetected = true
    this.#head = new Uint8Array(0)
    const [first, second] = head
    const isLittle = (first === 0xff && second === 0xfe) || (second === 0 && first !== 0)
    const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)
    if (isLittle || isBig) {
      this.#utf = new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be', { ignoreBOM: true })
      const format = { format: 'utf-16', description: 'UTF-16, as PowerShell writes what it redirects' } as const
      return { ...this.#decode(head), format }
    }
    const format = detectBinary(head)
    if (format !== undefined) return { text: '', format }
    this.#utf = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
    this.#isStrict = true
    return this.#decode(head)
  }

  #decode(bytes: Uint8Array): DecodedText {
    if (!this.#isStrict) return { text: this.#utf?.decode(bytes, { stream: true }) ?? '' }
    try {
      const text = this.#utf?.decode(bytes, { stream: true }) ?? ''
      this.#rest = cutCharacter(bytes.length < 3 ? joined(this.#rest, bytes) : bytes)
      return { text }
    } catch {
      return this.#loosen(bytes, true)
    }
  }

  /** Decodes bytes that are not UTF-8, and continues with a decoder that accepts anything. */
  #loosen(bytes: Uint8Array, stream: boolean): DecodedText {
    this.#isStrict = false
    this.#utf = new TextDecoder('utf-8', { ignoreBOM: true })
    const text = this.#utf.decode(joined(this.#rest, bytes), { stream })
    // If the model itself wrote a replacement character earlier, this reports a line that is slightly too early.
    return { text, invalidAt: Math.max(0, text.indexOf('\ufffd')) }
  }
}

/** The bytes of the last character of valid UTF-8, where it lacks some; otherwise none. */
function cutCharacter(bytes: Uint8Array): Uint8Array {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] as number
    if (byte < 0x80) break
    if (byte >= 0xc0) return needed(byte) > length ? bytes.slice(-length) : new Uint8Array(0)
  }
  return new Uint8Array(0)
}

/** How many bytes a character has, by its first. */
const needed = (first: number): number => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2)

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
