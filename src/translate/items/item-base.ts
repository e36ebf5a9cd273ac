import type { TextBuffer } from '../text-buffer.js'

/**
 * How far an item is: `silent` until it is announced, `writing` while the model writes it, `waiting` for its result,
 * `done` after its `output_item.done`, `cut` if that event never comes.
 */
export type Stage = 'silent' | 'writing' | 'waiting' | 'done' | 'cut'

/** The `status` of an item. Hosted calls have states of their own, and can fail. */
export type ItemStatus = 'in_progress' | 'searching' | 'interpreting' | 'completed' | 'incomplete' | 'failed'

/** What every item under construction has. Plain data: an item can be snapshotted at any moment. */
export interface ItemBase {
  readonly type: string
  id: string
  /** Position in `response.output`; -1 while silent. */
  outputIndex: number
  stage: Stage
  status: ItemStatus
  /** What the model has written of it: text, arguments, input or code. */
  text: TextBuffer
  /** Text that is in no delta yet, because it may turn out to be nothing. */
  held: string
  /** The key by which a tool's result finds the call; empty if the host owes none. */
  callee: string
}
