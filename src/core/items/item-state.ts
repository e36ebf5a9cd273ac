import type { TextBuffer } from '../text/text-buffer.js'

/**
 * An item's stage: `silent` before `output_item.added`, `writing` while the model writes it, `waiting` for its result,
 * `done` after `output_item.done`, `cut` if that event will never be emitted.
 */
export type ItemStage = 'silent' | 'writing' | 'waiting' | 'done' | 'cut'

/** The statuses with which calls run that have an event of their own for it. All others stay `in_progress`. */
export type RunningStatus = 'searching' | 'interpreting' | 'generating'

/** The `status` of an item. Only hosted calls use {@link RunningStatus} and `failed`. */
export type ItemStatus = 'in_progress' | RunningStatus | 'completed' | 'incomplete' | 'failed'

/** The fields of every item under construction. Plain data, so that it can be part of a snapshot at any moment. */
export interface ItemState {
  readonly type: string
  id: string
  /** Position in `response.output`; -1 while silent. */
  outputIndex: number
  stage: ItemStage
  status: ItemStatus
  /** The text that the model has written so far: an answer, arguments, input or code. */
  text: TextBuffer
  /** Text that is held back because it may have to be dropped. */
  held: string
  /** The key that matches a tool's result with the call; empty if the host does not run it. */
  callee: string
}
