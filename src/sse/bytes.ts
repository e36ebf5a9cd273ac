import { encodeSse, type SseEvent } from './encode.js'
import { fits, isDelta, type Template, templateOf } from './template.js'

/** Writes the events of one stream, one or some at a time: the UTF-8 of what `encodeSse` makes of them. */
export type SseBytes = (events: SseEvent | readonly SseEvent[]) => Uint8Array

/** The least that there is to write in: the frames of some deltas. */
const LEAST = 1024

/** The most that is kept to write in. A stream ends with frames of all its text; thousands of streams wait long. */
const MOST = 16_384

/** Longer texts are the platform's own to encode, which is faster then. */
const SHORT = 256

const NOTHING = new Uint8Array(0)

/**
 * A byte encoder for one stream, for less than encoding each frame: what the deltas of one item have in common is
 * encoded once, and number and text are written into it. What it returns has memory of its own, to be kept or
 * transferred: none is ever written again.
 */
export function createSseBytes(): SseBytes {
  const utf8 = new TextEncoder()
  let template: Template | undefined
  /** The template's frame up to its text, for numbers of as many digits as one that came, and behind its text. */
  let front = NOTHING
  let back = NOTHING
  /** Where the number ends in it, and the numbers that have as many digits. */
  let numberEnd = 0
  let fromNumber = 0
  let toNumber = 0
  /** What is written, before it is copied into what is returned. */
  let space = NOTHING
  let used = 0

  function reserve(size: number): void {
    if (used + size <= space.length) return
    const wider = new Uint8Array(Math.max(used + size, 2 * space.length, LEAST))
    wider.set(space.subarray(0, used))
    space = wider
  }

  function append(frame: Uint8Array): void {
    reserve(frame.length)
    space.set(frame, used)
    used += frame.length
  }

  /** Begins frames with numbers of as many digits as this one. */
  function measure({ parts: [head, middle, tail] }: Template, number: number): void {
    const digits = String(number).length
    front = utf8.encode(head + number + middle)
    back = utf8.encode(tail)
    numberEnd = front.length - utf8.encode(middle).length
    fromNumber = digits === 1 ? 0 : 10 ** (digits - 1)
    toNumber = 10 ** digits
  }

  /** Whether the event is in the frame of the one before it, and written. */
  function writeDelta(event: SseEvent): boolean {
    if (!isDelta(event)) return false
    if (template === undefined || !fits(template, event)) {
      template = templateOf(event)
      fromNumber = toNumber = 0
      return false
    }
    const { delta, sequence_number } = event
    if (delta.length > SHORT) return false
    if (sequence_number < fromNumber || sequence_number >= toNumber) measure(template, sequence_number)
    reserve(front.length + 3 * delta.length + back.length)
    space.set(front, used)
    writeDigits(space, used + numberEnd, sequence_number)
    const textEnd = writeText(space, used + front.length, delta)
    if (textEnd < 0) return false
    used = copy(back, space, textEnd)
    return true
  }

  return (events) => {
    used = 0
    if (!isBatch(events)) {
      if (!writeDelta(events)) return utf8.encode(encodeSse(events))
    } else {
      for (const event of events) if (!writeDelta(event)) append(utf8.encode(encodeSse(event)))
    }
    const bytes = space.slice(0, used)
    if (space.length > MOST) space = NOTHING
    return bytes
  }
}

function isBatch(events: SseEvent | readonly SseEvent[]): events is readonly SseEvent[] {
  return Array.isArray(events)
}

/** Of some twenty bytes, for which `set` takes longer. */
function copy(from: Uint8Array, to: Uint8Array, start: number): number {
  const { length } = from
  for (let at = 0; at < length; at++) to[start + at] = from[at] as number
  return start + length
}

function writeDigits(bytes: Uint8Array, end: number, number: number): void {
  let at = end
  let rest = number
  do {
    const tens = (rest / 10) | 0
    bytes[--at] = 0x30 + rest - tens * 10
    rest = tens
  } while (rest > 0)
}

/**
 * Writes a text as it stands between JSON's quotation marks: no more than three bytes for each of its units.
 *
 * @returns where it ends; -1 for a text that JSON has to write
 */
function writeText(bytes: Uint8Array, start: number, text: string): number {
  const { length } = text
  let to = start
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) {
      if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH) {
        // Others than the line feed are rare.
        if (unit < 0x20 && unit !== LINE_FEED) return -1
        bytes[to++] = BACKSLASH
        bytes[to++] = unit === LINE_FEED ? LETTER_N : unit
      } else bytes[to++] = unit
    } else if (unit < 0x800) {
      bytes[to++] = 0xc0 | (unit >> 6)
      bytes[to++] = 0x80 | (unit & 0x3f)
    } else if ((unit & 0xf800) !== 0xd800) {
      bytes[to++] = 0xe0 | (unit >> 12)
      bytes[to++] = 0x80 | ((unit >> 6) & 0x3f)
      bytes[to++] = 0x80 | (unit & 0x3f)
      // Half of a surrogate pair, which may lack the other one.
    } else return -1
  }
  return to
}

const LINE_FEED = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_N = 0x6e
