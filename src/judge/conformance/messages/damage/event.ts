import type { Fields } from '../../../../shared/fields.js'
import { type Family, type FamilyDamage, fieldsOf, textOf } from '../../damage/family.js'

/** An event of a stream of the Messages API, as JSON. */
export type MessageEvent = Fields

/** A kind of mistake that servers of the Messages API make. */
export type MessagesFamily = Family<MessageEvent>

export type MessagesDamage = FamilyDamage<MessageEvent>

// The subject of an event.

export const blockOf = (event: MessageEvent): Fields => fieldsOf(event['content_block'])

export const deltaOf = (event: MessageEvent): Fields => fieldsOf(event['delta'])

type Is = (event: MessageEvent) => boolean

export const isType =
  (type: string): Is =>
  (event) =>
    event['type'] === type

export const isBegin: Is = isType('content_block_start')

export const isDelta: Is = isType('content_block_delta')

export const isStop: Is = isType('content_block_stop')

export const isEnd: Is = isType('message_delta')

export const beginsCall = (event: MessageEvent): boolean => blockOf(event)['type'] === 'tool_use'

export const hasText = (event: MessageEvent): boolean => isDelta(event) && textOf(deltaOf(event)['text']) !== ''

export const hasThinking = (event: MessageEvent): boolean => isDelta(event) && textOf(deltaOf(event)['thinking']) !== ''

export const hasInput = (event: MessageEvent): boolean =>
  isDelta(event) && textOf(deltaOf(event)['partial_json']) !== ''

/** Whether it is of a block. */
export const isOfBlock = (event: MessageEvent): boolean => 'index' in event

/** Whether it contains content that a user sees. */
export const says = (event: MessageEvent): boolean => hasText(event) || hasThinking(event) || hasInput(event)

// An event with other fields.

export const withDelta = (event: MessageEvent, fields: Fields): MessageEvent => ({
  ...event,
  delta: { ...deltaOf(event), ...fields },
})

export const withBlock = (event: MessageEvent, fields: Fields): MessageEvent => ({
  ...event,
  content_block: { ...blockOf(event), ...fields },
})

export const withMessage = (event: MessageEvent, fields: Fields): MessageEvent => ({
  ...event,
  message: { ...fieldsOf(event['message']), ...fields },
})

/** The number of the message_delta; -1 if there is none. */
export const endOf = (events: readonly MessageEvent[]): number => events.findIndex(isEnd)

/** Returns the number of blocks in a stream. */
export const countOf = (events: readonly MessageEvent[]): number => events.filter(isBegin).length

/** The events of a block that no other event of a stream knows. */
export const textBlock = (index: number, text: string): MessageEvent[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: null } },
  { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
  { type: 'content_block_stop', index },
]

export const callBlock = (index: number): MessageEvent[] => [
  {
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: 'toolu_late', name: 'late_tool', input: {} },
  },
  { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: '{"late":true}' } },
  { type: 'content_block_stop', index },
]

/** The place of a block in a stream. */
export interface BlockSpan {
  readonly begin: number
  /** The number of its stop. */
  readonly end: number
}

/** The blocks that begin and stop. */
export function spansOf(events: readonly MessageEvent[]): BlockSpan[] {
  return events.flatMap((event, begin) => {
    if (!isBegin(event)) return []
    const end = events.findIndex((one, at) => at > begin && isStop(one) && one['index'] === event['index'])
    return end < 0 ? [] : [{ begin, end }]
  })
}
