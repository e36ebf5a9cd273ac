import { encodeSse, type SseEvent } from './encode.js'

/** Writes the events of one stream, one after the other; each as `encodeSse` would. */
export type SseEncoder = (event: SseEvent) => string

/** A delta, as far as deltas of one item may differ, and all that they have beside. */
interface Delta {
  readonly type: string
  readonly sequence_number: number
  readonly item_id?: string
  readonly output_index?: number
  readonly content_index?: number
  readonly summary_index?: number
  readonly command_index?: number
  readonly delta: string
  readonly logprobs?: readonly unknown[]
}

/** What a delta's frame has in common with that of the one before it, of the same item. */
interface Template {
  readonly like: Delta
  readonly keys: readonly string[]
  /** The frame up to the number, between number and text, and behind the text. */
  readonly parts: readonly [string, string, string]
}

/**
 * An encoder for one stream, for less than `encodeSse` takes for each event: what the deltas of one item have in common
 * is written once. Every field is compared, so that the frames are the same, whatever the events.
 */
export function createSseEncoder(): SseEncoder {
  let template: Template | undefined
  return (event) => {
    const { delta } = event as Partial<Delta>
    if (typeof delta !== 'string') return encodeSse(event)
    if (template === undefined || !fits(template, event as Delta)) {
      template = templateOf(event as Delta)
      return encodeSse(event)
    }
    const [head, middle, tail] = template.parts
    return head + (event as Delta).sequence_number + middle + escaped(delta) + tail
  }
}

function fits({ like, keys }: Template, event: Delta): boolean {
  let at = 0
  // By name alone: reading each value by its key would cost as much as all the rest.
  for (const key in event) if (key !== keys[at++]) return false
  return (
    at === keys.length &&
    event.type === like.type &&
    event.item_id === like.item_id &&
    event.output_index === like.output_index &&
    event.content_index === like.content_index &&
    event.summary_index === like.summary_index &&
    event.command_index === like.command_index &&
    Number.isInteger(event.sequence_number) &&
    isEmptyArray(event.logprobs) === isEmptyArray(like.logprobs) &&
    Object.getPrototypeOf(event) === Object.prototype
  )
}

/** The fields that {@link fits} compares: an event with others has no template. */
const COMPARED: ReadonlySet<string> = new Set([
  'type',
  'sequence_number',
  'item_id',
  'output_index',
  'content_index',
  'summary_index',
  'command_index',
  'delta',
  'logprobs',
])

function templateOf(event: Delta): Template | undefined {
  const entries = Object.entries(event)
  const keys = entries.map(([key]) => key)
  const number = keys.indexOf('sequence_number')
  const text = keys.indexOf('delta')
  const isKnown = entries.every(
    ([key, value]) => COMPARED.has(key) && (key === 'logprobs' ? isEmptyArray(value) : isPrimitive(value)),
  )
  if (!isKnown || number < 1 || text < number || !fits({ like: event, keys, parts: ['', '', ''] }, event))
    return undefined
  const written = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  return {
    like: event,
    keys,
    parts: [
      `event: ${event.type}\ndata: {${[...written.slice(0, number), '"sequence_number":'].join()}`,
      `,${[...written.slice(number + 1, text), '"delta":"'].join()}`,
      `${['"', ...written.slice(text + 1)].join()}}\n\n`,
    ],
  }
}

/** What JSON writes, and what is equal only to itself. */
function isPrimitive(value: unknown): boolean {
  return typeof value === 'string' || Number.isFinite(value)
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Longer texts are JSON's own to write, which is faster then. */
const SHORT = 40

/** The text as it stands between JSON's quotation marks. Most tokens stand there as they are. */
function escaped(text: string): string {
  if (text.length > SHORT) return JSON.stringify(text).slice(1, -1)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // Control characters, quotation mark, backslash, and halves of surrogate pairs, which may lack the other one.
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit < 0xe000)) {
      return JSON.stringify(text).slice(1, -1)
    }
  }
  return text
}
