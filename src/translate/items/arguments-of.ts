import { textOf } from '../text-buffer.js'
import type { ItemBase } from './item-base.js'
import type { ItemContext } from './item-context.js'

export type Arguments = { readonly [name: string]: unknown }

/**
 * Reads the arguments of a call whose item shows them in a form of its own. Unusable arguments are reported as a
 * diagnostic with their text.
 *
 * @param main - the argument that arguments without an object stand for
 * @param read - converts the arguments; returns undefined if they are unusable
 */
export function argumentsOf<Wanted>(
  item: ItemBase,
  main: string,
  read: (given: Arguments) => Wanted | undefined,
  context: ItemContext,
): Wanted | undefined {
  const text = textOf(item.text)
  const value = parseLoosely(text)
  const isMain = typeof value === 'string' || Array.isArray(value)
  const given = isMain ? { [main]: value } : Object(value) === value ? (value as Arguments) : undefined
  const wanted = given && read(given)
  if (wanted === undefined) context.notice('unreadable_arguments', item.type, text)
  return wanted
}

/** Parses a text as JSON. Returns plain text as it is, and undefined for truncated JSON or blank text. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^\s*(["{[]|$)/.test(text) ? undefined : text
  }
}

/** An argument that has to be a number; null if it is not one, or too large for JSON (`1e999`). */
export function numberOf(value: unknown): number | null {
  return Number.isFinite(value) ? (value as number) : null
}
