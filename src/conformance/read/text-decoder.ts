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
  /** Finds invalid UTF-8. Undefined once it has found some. */
  #strict: TextDecoder | undefined
  /** The first bytes, until they are enough to detect the format. */
  #head: Uint8Array = new Uint8Array(0)
  #isDetected = false

  decode(bytes: Uint8Array): DecodedText {
    if (this.#isDetected) return this.#decode(bytes)
    const head = new Uint8Array(this.#head.length + bytes.length)
    head.set(this.#head)
    head.set(bytes, this.#head.length)
    this.#head = head
    // One byte is not enough to recognize UTF-16 or gzip.
    if (head.length < 2) return { text: '' }
    return this.#detect(head)
  }

  /** Ends the bytes. */
  end(): DecodedText {
    if (!this.#isDetected) {
      const { text, ...more } = this.#detect(this.#head)
      return { text: text + (this.#utf?.decode() ?? ''), ...more }
    }
    const text = this.#utf?.decode() ?? ''
    return this.#strict !== undefined && text !== '' ? { text, invalidAt: 0 } : { text }
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
    this.#utf = new TextDecoder('utf-8', { ignoreBOM: true })
    this.#strict = new TextDecoder('utf-8', { fatal: true })
    return this.#decode(head)
  }

  #decode(bytes: Uint8Array): DecodedText {
    const text = this.#utf?.decode(bytes, { stream: true }) ?? ''
    if (this.#strict === undefined) return { text }
    try {
      this.#strict.decode(bytes, { stream: true })
      return { text }
    } catch {
      this.#strict = undefined
      // If the model itself wrote a replacement character earlier, this reports a line that is slightly too early.
      return { text, invalidAt: Math.max(0, text.indexOf('\ufffd')) }
    }
  }
}
