import type { SseEvent } from './encode.js'

/** A delta, as far as deltas of one item may differ, and all that they have beside. */
export interface Delta {
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

/** What a delta's frame has in common with those of the other deltas of its item. */
export interface Template {
  readonly like: Delta
  readonly keys: readonly string[]
  /** The frame up to the number, between number and text, and behind the text. */
  readonly parts: readonly [string, string, string]
}

export function isDelta(event: SseEvent): event is SseEvent & Delta {
  // What is no event at all is `encodeSse`'s to refuse.
  return typeof (event as Partial<Delta> | null | undefined)?.delta === 'string'
}

/**
 * Whether number and text of a delta in the frame of a template are its frame. Every field is compared, so that this is
 * so whatever the events.
 */
export function fits({ like, keys }: Template, event: Delta): boolean {
  const { sequence_number } = event
  if (
    event.type !== like.type ||
    event.item_id !== like.item_id ||
    event.output_index !== like.output_index ||
    event.content_index !== like.content_index ||
    event.summary_index !== like.summary_index ||
    event.command_index !== like.command_index ||
    // All that is written as its digits and nothing else.
    !Number.isInteger(sequence_number) ||
    sequence_number < 0 ||
    sequence_number > 0x7fffffff ||
    isEmptyArray(event.logprobs) !== isEmptyArray(like.logprobs) ||
    // Here, where the compiler knows what the event is made like, it costs next to nothing.
    Object.getPrototypeOf(event) !== Object.prototype
  ) {
    return false
  }
  let at = 0
  // By name alone: reading each value by its key would cost as much as all the rest.
  for (const key in event) if (key !== keys[at++]) return false
  return at === keys.length
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

/** What deltas like this one have in common; undefined where they have to be written one by one. */
export function templateOf(event: Delta): Template | undefined {
  const entries = Object.entries(event)
  const keys = entries.map(([key]) => key)
  const number = keys.indexOf('sequence_number')
  const text = keys.indexOf('delta')
  if (typeof event.type !== 'string' || /[\r\n]/.test(event.type)) return undefined
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
