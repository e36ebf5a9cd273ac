import { encodeSse, type SseEvent } from './encode.js'

/** Writes the events of one stream, one after the other; each as `encodeSse` would. */
export type SseEncoder = (event: SseEvent) => string

/**
 * An encoder for one stream, for less than `encodeSse` takes for each event: what the deltas of one item have in common
 * is written once. The frames are the same, whatever the events.
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

/** The frame of a delta, but for its number and its text. */
interface Template {
  readonly keys: readonly string[]
  readonly values: readonly unknown[]
  /** The frame up to the number, between number and text, and after the text. */
  readonly parts: readonly string[]
}

function isDelta(event: SseEvent): event is Delta {
  // Events that are null or undefined are left to `encodeSse`, which throws.
  return typeof (event as Partial<Delta> | null | undefined)?.delta === 'string'
}

/** Whether an event differs from the template's by number and text alone. */
function fits({ keys, values }: Template, event: Delta): boolean {
  // An event of a class may inherit a toJSON.
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

/** What a delta's frame is cut into. An event that has other values than these beside has no template. */
function templateOf(event: Delta): Template | undefined {
  const [keys, values] = [Object.keys(event), Object.values(event)]
  const parts = encodeSse({ ...event, sequence_number: 0, delta: '' }).split(NUMBER_OR_TEXT)
  const isOrdered = keys.indexOf('sequence_number') < keys.indexOf('delta')
  return parts.length === 3 && isOrdered && values.every(isConstant) ? { keys, values, parts } : undefined
}

/** JSON escapes the quotation marks in a text, so these are fields. */
const NUMBER_OR_TEXT = /(?<="sequence_number":)0|(?<="delta":)""/

/** Whether the value is written the same whenever it is the same. */
function isConstant(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || value === null || isEmpty(value)
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
