/** The least that an event of a Responses stream is. */
export interface SequencedEvent {
  readonly type: string
  readonly sequence_number: number
}

/** An event as JSON, with whatever fields it has. */
export type WireEvent = { type: string; sequence_number: number; [field: string]: unknown }

type Fields = Readonly<Record<string, unknown>>

const TERMINAL: readonly string[] = ['response.completed', 'response.incomplete', 'response.failed']

/** The types of the other terminal events. */
export const otherTerminals = (type: string): string[] => TERMINAL.filter((other) => other !== type)

export const isTerminal = ({ type }: WireEvent): boolean => TERMINAL.includes(type)

/** Where an event stands in the life of its item, or of a part of it; `undefined` for all other events. */
export type Stage = 'item added' | 'part added' | 'delta' | 'text done' | 'part done' | 'item done'

/** The order in which the stages of one part come. */
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

/** The field in which a done event has the whole text. */
export const textField = (event: WireEvent): string | undefined =>
  ['text', 'arguments', 'input', 'code', 'command', 'refusal'].find((field) => typeof event[field] === 'string')

/** Which part of which item an event is of; items whose events name no part have one. */
export const partKey = (event: WireEvent): string =>
  JSON.stringify(['output_index', 'content_index', 'summary_index', 'command_index'].map((field) => event[field]))

/** The text that an event is of: its deltas and its done have the same. */
export const textKey = (event: WireEvent): string => `${event.type.replace(/\.(delta|done)$/, '')} ${partKey(event)}`

/** The item that an event carries. */
export const itemIn = (event: WireEvent | undefined): Fields | undefined => copyFields(event?.['item'])

/** The response that an event carries. */
export const responseIn = (event: WireEvent | undefined): Fields | undefined => copyFields(event?.['response'])

/** The items of the response that an event carries. */
export function outputIn(event: WireEvent | undefined): readonly unknown[] {
  const output = responseIn(event)?.['output']
  return Array.isArray(output) ? output : []
}

/** A value as an object, if it is one. */
export const copyFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined

/** An event in a few words: `response.output_text.delta of item 2`. */
export function eventLabel(event: WireEvent): string {
  const index = event['output_index']
  return index === undefined ? event.type : `${event.type} of item ${String(index)}`
}
