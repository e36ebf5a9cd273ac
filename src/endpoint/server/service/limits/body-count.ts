import type { ByteHold } from '../../../flow/byte-budget.js'
import { costOfText, costOfValues, takeOrRefuse } from './memory.js'

/** Counts a body as it arrives. Both methods take running totals. */
export interface BodyCount {
  /** @throws RequestError if there is no room */
  bytes(all: number): void
  /** @throws RequestError if there is no room */
  values(all: number): void
}

/** Values are reserved in steps of this size: most bodies take one. */
const STEP = 64

export function createBodyCount(held: ByteHold): BodyCount {
  let bytes = 0
  let values = 0
  return {
    bytes(all) {
      if (all <= bytes) return
      takeOrRefuse(held, costOfText(all - bytes))
      bytes = all
    },
    values(all) {
      if (all <= values) return
      const more = Math.ceil((all - values) / STEP) * STEP
      takeOrRefuse(held, costOfValues(more))
      values += more
    },
  }
}
