import { type Arguments, parseArguments } from '../../recipients/arguments.js'
import { textOf } from '../../text/text-buffer.js'
import type { ItemContext } from '../item-context.js'
import type { ItemState } from '../item-state.js'

/**
 * Parses the arguments of a call whose item shows them in a form of its own. Unusable arguments are reported as a
 * diagnostic with their text.
 *
 * @param main - the argument that a bare value stands for
 * @param read - converts the arguments; returns undefined if they are unusable
 */
export function argumentsOf<Wanted>(
  item: ItemState,
  main: string,
  read: (given: Arguments) => Wanted | undefined,
  context: ItemContext,
): Wanted | undefined {
  const text = textOf(item.text)
  const given = parseArguments(text, main)
  const result = given && read(given)
  if (result === undefined) context.notice('unreadable_arguments', item.type, text)
  return result
}

/** Returns an argument that has to be a number; null if it is not one, or too large for JSON (`1e999`). */
export function numberOf(value: unknown): number | null {
  return Number.isFinite(value) ? (value as number) : null
}
