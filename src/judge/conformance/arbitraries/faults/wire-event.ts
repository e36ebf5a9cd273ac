import type { Fields } from '../../../../shared/fields.js'
/** The required fields of an event in a Responses stream. */
export interface SequencedEvent {
  /** The type of the event. */
  readonly type: string
  /** The position of the event in its stream, from 0. */
  readonly sequence_number: number
}

/** An event as JSON, with any other fields. */
export type WireEvent = {
  /** The type of the event. */
  type: string
  /** The position of the event in its stream, from 0. */
  sequence_number: number
  [field: string]: unknown
}

const TERMINAL: readonly string[] = ['response.completed', 'response.incomplete', 'response.failed']

/** The terminal event types other than this one. */
export const otherTerminals = (type: string): string[] => TERMINAL.filter((other) => other !== type)

export const isTerminal = ({ type }: WireEvent): boolean => TERMINAL.includes(type)

/** The stage of an item or part that an event belongs to. */
export type Stage = 'item added' | 'part added' | 'delta' | 'text done' | 'part done' | 'item done'

/** The stages of one part, in order. */
export const STAGES: readonly Stage[] = ['item added', 'part added', 'delta', 'text done', 'part done', 'item done']

export function stageOf(event: WireEvent): Stage | undefined {
  const { type } = event
  if (type === 'response.output_item.added') return 'item added'
  if (type === 'response.output_item.done') return 'item done'
  if (type.endsWith('_part.added')) return 'part added'
  if (type.endsWith('_part.done')) return 'part done'
  if (type.endsWith('.delta') && typeof event['delta'] === 'string') return 'delta'
  return type.endsWith('.done') && textField(event) !== undefined ? 'text done' : undefined
}

/** The field with the complete text of a `.done` event. */
export const textField = (event: WireEvent): string | undefined =>
  ['text', 'arguments', 'input', 'code', 'command', 'refusal'].find((field) => typeof event[field] === 'string')

/** The key of the part that an event is about; items without parts have a single key. */
export const partKey = (event: WireEvent): string =>
  JSON.stringify(['output_index', 'content_index', 'summary_index', 'command_index'].map((field) => event[field]))

/** The key of the text that an event is about: the same for its deltas and its `.done` event. */
export const textKey = (event: WireEvent): string => `${event.type.replace(/\.(delta|done)$/, '')} ${partKey(event)}`

/** The item in an event. */
export const itemIn = (event: WireEvent | undefined): Fields | undefined => copyFields(event?.['item'])

/** The response in an event. */
export const responseIn = (event: WireEvent | undefined): Fields | undefined => copyFields(event?.['response'])

/** The items in the response of an event. */
export function outputIn(event: WireEvent | undefined): readonly unknown[] {
  const output = responseIn(event)?.['output']
  return Array.isArray(output) ? output : []
}

/** A shallow copy of the value, if it is an object. */
export const copyFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined

/** An event for messages: `response.output_text.delta of item 2`. */
export function eventLabel(event: WireEvent): string {
  const index = event['output_index']
  return index === undefined ? event.type : `${event.type} of item ${String(index)}`
}
