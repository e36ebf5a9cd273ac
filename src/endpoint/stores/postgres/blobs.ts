import type { EntryBlock } from '../store.js'

/** Contents in one parameter, which a statement takes apart by their sizes: an array of them would be written as text. */
export function joined(contents: readonly Uint8Array[]): Uint8Array {
  if (contents.length === 1) return contents[0] as Uint8Array
  return Buffer.concat(contents)
}

/** The bytes of a block, unless it has no entries. */
export function bytesOf(block: EntryBlock | undefined): Uint8Array | undefined {
  return block !== undefined && block.count > 0 ? block.bytes : undefined
}

export const sizeOf = (content: Uint8Array | undefined): number => content?.length ?? 0

export const isThere = <Value>(value: Value | undefined): value is Value => value !== undefined

/**
 * Returns the part of a query that takes them apart: the rows of `given`, each with its content.
 *
 * @param given - a query whose columns have `nth` and `size`
 * @param parameter - the contents, as `$8`
 */
export function apart(given: string, parameter: string): string {
  const start = '(sum(size) OVER (ORDER BY nth) - size)::integer + 1'
  return `SELECT *, substring(${parameter}::bytea FROM ${start} FOR size) AS content FROM (${given}) AS sized`
}
