/** The common part of items and events, in their wire form. */

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface Sequenced {
  /** 0, 1, 2, ... over all events of one response. */
  sequence_number: number
}

export interface OfItem extends Sequenced {
  /** Position of the item in `response.output`, from 0, in the order in which items were added. */
  output_index: number
  item_id: string
}

export interface OfPart extends OfItem {
  /** Position of the part in its item, from 0. */
  content_index: number
}

export interface OfSummary extends OfItem {
  /** Position of the part in the reasoning item's summary, from 0. */
  summary_index: number
}

/** Fields of the events about a shell call's command. Neither the API's type nor the wire has an `item_id` here. */
export interface OfCommand extends Sequenced {
  output_index: number
  /** Position of the command in the call, from 0. */
  command_index: number
}

/** An event that only identifies its item. */
export type OfItemOnly<Name extends string> = OfItem & { type: `response.${Name}` }

/** An event with a text of its item, or a part of it, in this field. */
export type OfItemText<Name extends string, Field extends string> = OfItemOnly<Name> & { [Text in Field]: string }

/** The fields of almost every item, and the states that only some items have. */
export interface ItemFields<OtherStatus = never> {
  id: string
  status: ItemStatus | OtherStatus
}

/** The allowed callers of a tool: the model, or programs that it writes. */
export type AllowedCallers = readonly ('direct' | 'programmatic')[]
