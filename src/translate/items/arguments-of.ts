import { textOf } from '../text-buffer.js'
import type { ItemBase } from './item-base.js'
import type { ItemContext } from './item-context.js'

export type Arguments = { readonly [name: string]: unknown }

/**
 * What a call asks for whose item does not show its arguments as they were written. Of arguments that ask for nothing,
 * a diagnostic has the text.
 *
 * @param main - the argument that is meant by arguments that are no object
 * @param read - what the arguments ask for; undefined where they do not say it
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

/** A text as JSON, or as itself where it is none; undefined where it is JSON that is cut off, or blank. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^\s*(["{[]|$)/.test(text) ? undefined : text
  }
}

/** An argument that has to be a number; null where it is none, or none that JSON can say: `1e999`. */
export function numberOf(value: unknown): number | null {
  return Number.isFinite(value) ? (value as number) : null
}
