import { unmarked } from '../database/marked-text.js'
import type { Became, StampedRow } from '../database/operation-types.js'
import { type PackedParts, type Part, packed, partsOf } from '../database/packed-parts.js'
import type { Reply } from './connections.js'

/* What scripts answer: texts are bytes, and Lua's false is null. */

export function listOf(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? reply : []
}

export function textOf(reply: Reply | undefined): string {
  return Buffer.from(reply as Uint8Array).toString()
}

/** Returns a name as it was given. */
export function nameOf(reply: Reply | undefined): string {
  return unmarked(textOf(reply))
}

export function bytesOf(reply: Reply | undefined): Uint8Array {
  return reply as Uint8Array
}

/** Returns the row, the id and the stamp of a response; undefined if there is none. */
export function rowOf(reply: Reply | undefined): StampedRow | undefined {
  const [row, id, stamp] = listOf(reply)
  return row === undefined ? undefined : { rid: Number(textOf(row)), responseId: nameOf(id), stamp: textOf(stamp) }
}

/** An item in the list of a response's items: its id, 1 if the response produced it, and its size. */
type ItemPlace = readonly [id: string | null, isOutput: 0 | 1, size: number]

/** Returns where the items of a response are in their bytes, as scripts read it. @param stored - the stored form of an id */
export function placesOf(parts: PackedParts, stored: (id: string) => string): string {
  const places: ItemPlace[] = []
  for (const { itemId, isOutput, bytes } of partsOf(parts)) {
    places.push([itemId === null ? null : stored(itemId), isOutput ? 1 : 0, bytes.length])
  }
  return JSON.stringify(places)
}

/** Returns the content of a response. Who reads it needs no ids beside the items. */
export function becameOf(head: Reply | undefined, places: Reply | undefined, items: Reply | undefined): Became {
  const all = bytesOf(items)
  let start = 0
  const parts: Part[] = []
  for (const [, isOutput, size] of JSON.parse(textOf(places)) as readonly ItemPlace[]) {
    parts.push({ itemId: null, isOutput: isOutput === 1, bytes: all.subarray(start, start + size) })
    start += size
  }
  return { head: bytesOf(head), parts: packed(parts) }
}
