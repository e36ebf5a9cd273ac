import { encodeSse, type SseEvent } from './encode.js'
import { fits, isDelta, type Template, templateOf } from './template.js'

/** Writes the events of one stream, one after the other; each as `encodeSse` would. */
export type SseEncoder = (event: SseEvent) => string

/**
 * An encoder for one stream, for less than `encodeSse` takes for each event: what the deltas of one item have in common
 * is written once. The frames are the same, whatever the events.
 */
export function createSseEncoder(): SseEncoder {
  let template: Template | undefined
  /** The frame up to the number's last digit, for ten numbers in a row: each has a piece less to be put together. */
  let front = ''
  let tens = -1
  return (event) => {
    if (!isDelta(event)) return encodeSse(event)
    if (template === undefined || !fits(template, event)) {
      template = templateOf(event)
      tens = -1
      return encodeSse(event)
    }
    const { delta, sequence_number } = event
    const [head, middle, tail] = template.parts
    const ten = Math.floor(sequence_number / 10)
    if (ten !== tens) {
      tens = ten
      front = flat(ten === 0 ? head : head + ten)
    }
    return front + (sequence_number - ten * 10) + middle + escaped(delta) + tail
  }
}

/** Longer texts are JSON's own to write, which is faster then. */
const SHORT = 40

/** The text as it stands between JSON's quotation marks. Most tokens stand there as they are. */
function escaped(text: string): string {
  const { length } = text
  if (length > SHORT) return JSON.stringify(text).slice(1, -1)
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at)
    // Control characters, quotation mark, backslash, and halves of surrogate pairs, which may lack the other one.
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit & 0xf800) === 0xd800) {
      return JSON.stringify(text).slice(1, -1)
    }
  }
  return text
}

/** The same text in one piece: reading a character does that, and what is done with it keeps the reading. */
function flat(text: string): string {
  return text.charCodeAt(0) === 0 ? text.slice() : text
}
