/** An item of a finished response. */
export interface Part {
  readonly itemId: string | null
  readonly isOutput: boolean
  readonly bytes: Uint8Array
}

/**
 * Items in one buffer, one after another: a message between threads that has an array for each of 100,000 items takes 200 ms
 * to write, in one piece.
 */
export interface PackedParts {
  /** The ids of the items, and where each ends in the bytes. */
  readonly itemIds: readonly (string | null)[]
  readonly ends: Float64Array
  /** 1 for an item that the response produced. */
  readonly areOutput: Uint8Array
  readonly bytes: Uint8Array
}

/** Packs items. */
export function packed(parts: readonly Part[]): PackedParts {
  const ends = new Float64Array(parts.length)
  const areOutput = new Uint8Array(parts.length)
  const itemIds: (string | null)[] = []
  let end = 0
  for (const [at, { itemId, isOutput, bytes }] of parts.entries()) {
    itemIds.push(itemId)
    areOutput[at] = isOutput ? 1 : 0
    end += bytes.length
    ends[at] = end
  }
  const all = new Uint8Array(end)
  for (const [at, { bytes }] of parts.entries()) all.set(bytes, at === 0 ? 0 : ends[at - 1])
  return { itemIds, ends, areOutput, bytes: all }
}

/** Yields the items one by one, as views. */
export function* partsOf({ itemIds, ends, areOutput, bytes }: PackedParts): Generator<Part, void, undefined> {
  let start = 0
  for (const [at, itemId] of itemIds.entries()) {
    const end = ends[at] as number
    yield { itemId, isOutput: areOutput[at] === 1, bytes: bytes.subarray(start, end) }
    start = end
  }
}
