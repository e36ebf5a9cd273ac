import { encodeSse, type SseEvent } from './encode.js'

/** Writes the events of one stream in order, each exactly as `encodeSse` does. */
export type SseEncoder = (event: SseEvent) => string

/**
 * Creates an encoder for one stream. It is faster than `encodeSse`, because it serializes the common part of an item's
 * deltas only once. The frames are identical.
 *
 * @example
 * ```ts
 * import { createSseEncoder } from 'harmony-responses/sse'
 *
 * const encode = createSseEncoder()
 * for (const event of events) save(encode(event))
 * ```
 */
export function createSseEncoder(): SseEncoder {
  let template: Template | undefined
  return (event) => {
    if (!isDelta(event)) return encodeSse(event)
    if (template !== undefined && fits(template, event)) {
      const [head, middle, tail] = template.parts
      return `${head}${event.sequence_number}${middle}${JSON.stringify(event.delta)}${tail}`
    }
    template = templateOf(event)
    return encodeSse(event)
  }
}

type Delta = SseEvent & {
  readonly sequence_number?: unknown
  readonly delta: string
  readonly [field: string]: unknown
}

/** The frame of a delta, with holes for its number and its text. */
interface Template {
  readonly keys: readonly string[]
  readonly values: readonly unknown[]
  /** The parts of the frame before the number, between the number and the text, and after the text. */
  readonly parts: readonly string[]
}

function isDelta(event: SseEvent): event is Delta {
  // `encodeSse` throws if the event is null or undefined.
  return typeof (event as Partial<Delta> | null | undefined)?.delta === 'string'
}

/** Whether an event differs from the template's only in its number and its text. */
function fits({ keys, values }: Template, event: Delta): boolean {
  // An instance of a class may inherit `toJSON`.
  if (!Number.isFinite(event.sequence_number) || Object.getPrototypeOf(event) !== Object.prototype) return false
  let at = 0
  for (const key in event) {
    if (key !== keys[at]) return false
    const value = event[key]
    const isOwn = key === 'delta' || key === 'sequence_number'
    if (!isOwn && value !== values[at] && !(isEmpty(value) && isEmpty(values[at]))) return false
    at += 1
  }
  return at === keys.length
}

/**
 * Cuts a delta's frame into its parts. Returns undefined if the event has a value that may change without being
 * replaced.
 */
function templateOf(event: Delta): Template | undefined {
  const [keys, values] = [Object.keys(event), Object.values(event)]
  // Checked first: a delta with log-probabilities has 2 kB to search.
  if (!values.every(isConstant)) return undefined
  const parts = encodeSse({ ...event, sequence_number: 0, delta: '' }).split(NUMBER_OR_TEXT)
  const isOrdered = keys.indexOf('sequence_number') < keys.indexOf('delta')
  return parts.length === 3 && isOrdered ? { keys, values, parts } : undefined
}

/** Matches only fields, because JSON escapes the quotation marks in a text. */
const NUMBER_OR_TEXT = /(?<="sequence_number":)0|(?<="delta":)""/

/** Whether equal values always give the same JSON. */
function isConstant(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || value === null || isEmpty(value)
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
