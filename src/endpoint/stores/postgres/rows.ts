import { unmarked } from '../database/marked-text.js'
import type { Became, StampedRow } from '../database/operation-types.js'
import type { Row } from './connections.js'

export function rowOf({ rid, id, stamp }: Row): StampedRow {
  return { rid: rid as number, responseId: unmarked(id as string), stamp: stamp as string }
}

/** The row that another one continues, if there is one: its columns begin with `before_`. */
export function beforeOf({ before_rid: rid, before_id: id, before_stamp: stamp }: Row): StampedRow | undefined {
  return rid === null ? undefined : rowOf({ rid, id, stamp })
}

/** A query for the items of a response, as one row: their bytes, their sizes, and which are output. */
export function itemsOf(rid: string): string {
  return `SELECT string_agg(bytes, ''::bytea ORDER BY seq) AS items, json_agg(length(bytes) ORDER BY seq) AS sizes,
    json_agg(is_output ORDER BY seq) AS outputs FROM parts WHERE parts.rid = ${rid}`
}

/** Returns the content of a row that has the columns of {@link itemsOf}. */
export function becameOf({ head, items, sizes, outputs }: Row): Became {
  let end = 0
  const ends = Float64Array.from((sizes as readonly number[] | null) ?? [], (size) => {
    end += size
    return end
  })
  const areOutput = Uint8Array.from((outputs as readonly boolean[] | null) ?? [], Number)
  // Who reads a response needs no ids beside the items.
  const itemIds = new Array<null>(ends.length).fill(null)
  return {
    head: head as Uint8Array,
    parts: { itemIds, ends, areOutput, bytes: (items ?? new Uint8Array()) as Uint8Array },
  }
}
