import { isSuperfluous, type ObjectScan, scanObject } from '../../recipients/written-arguments.js'
import { textOf } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemState } from '../item-state.js'

/*
 * Ends the arguments of a call after their object. Later text is held back, since no delta can be retracted, and ends up
 * in no item: no client can parse a call with `{"city":"Paris"} I will now look`.
 */

/** A call whose text is streamed. */
interface ScannedCall extends ItemState {
  /** Where the object of its arguments ends; null if its text may be anything. */
  readonly scan: ObjectScan | null
}

type Write<Call> = (item: Call, text: string, context: ItemContext) => void

/** Passes on the text of the object, and holds back any text after it. */
export function writeObject<Call extends ScannedCall>(
  item: Call,
  text: string,
  context: ItemContext,
  write: Write<Call>,
): void {
  const end = item.scan === null ? text.length : scanObject(item.scan, text)
  if (end === text.length) write(item, text, context)
  else {
    if (end > 0) write(item, text.slice(0, end), context)
    item.held += text.slice(end)
  }
}

/**
 * Drops text after the object. White space is not dropped, nor anything if there is no complete object.
 *
 * @param callee - the called tool, for the diagnostic
 */
export function endObject<Call extends ScannedCall>(
  item: Call,
  callee: string,
  context: ItemContext,
  write: Write<Call>,
): void {
  if (item.scan?.isOver !== true || item.held === '') return
  const { held } = item
  item.held = ''
  if (!isSuperfluous(held, textOf(item.text))) write(item, held, context)
  else context.notice('text_after_arguments', callee, held)
}
