import { binaryFormat, type Given } from './given.js'

/** What came of a piece. */
export interface DecodedText {
  readonly text: string
  /** What the bytes are, if they are not plain UTF-8; told once. */
  readonly given?: Given
  /** Where in the text bytes stood that are no UTF-8, told once. */
  readonly badAt?: number
}

/**
 * Text of pieces that may be bytes: UTF-8, or UTF-16 where its byte order mark or its zeros say so. What is no text at
 * all is named.
 */
export class CaptureDecoder {
  #utf: TextDecoder | undefined
  /** Finds what is no UTF-8, as long as nothing was. */
  #strict: TextDecoder | undefined
  /** The first bytes, until they say what they are. */
  #head: Uint8Array = new Uint8Array(0)
  #isSettled = false

  decode(bytes: Uint8Array): DecodedText {
    if (this.#isSettled) return this.#decode(bytes)
    const head = new Uint8Array(this.#head.length + bytes.length)
    head.set(this.#head)
    head.set(bytes, this.#head.length)
    this.#head = head
    // A single byte does not tell UTF-16, nor gzip.
    if (head.length < 2) return { text: '' }
    return this.#settle(head)
  }

  /** The bytes are over. */
  end(): DecodedText {
    if (!this.#isSettled) {
      const { text, ...more } = this.#settle(this.#head)
      return { text: text + (this.#utf?.decode() ?? ''), ...more }
    }
    const text = this.#utf?.decode() ?? ''
    return this.#strict !== undefined && text !== '' ? { text, badAt: 0 } : { text }
  }

  #settle(head: Uint8Array): DecodedText {
    this.#isSettled = true
    this.#head = new Uint8Array(0)
    const [first, second] = head
    const isLittle = (first === 0xff && second === 0xfe) || (second === 0 && first !== 0)
    const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)
    if (isLittle || isBig) {
      this.#utf = new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be', { ignoreBOM: true })
      const given = { format: 'utf-16', words: 'UTF-16, as PowerShell writes what it redirects' } as const
      return { ...this.#decode(head), given }
    }
    const given = binaryFormat(head)
    if (given !== undefined) return { text: '', given }
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
      // A replacement character before it that the model wrote itself would be taken for it: the line may be a near one.
      return { text, badAt: Math.max(0, text.indexOf('\ufffd')) }
    }
  }
}
