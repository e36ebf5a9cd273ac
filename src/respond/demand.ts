import type { OpenEntry } from '../journal/entry.js'
import { demandedAnswer } from './demanded-answer.js'
import { type ForcedCall, forcedCall } from './forced-call.js'
import { Strictness, type StrictnessOptions } from './strictness.js'

/** What a request demands of the model. */
export interface Demand {
  /** What the first turn has to be. */
  readonly forced: ForcedCall | undefined
  /** The header of the answer that the response has to have. */
  readonly answer: readonly number[] | undefined
  /** What bodies are held to. */
  readonly strict: Strictness
}

export function demandOf(open: OpenEntry, { tokenTable, policy }: StrictnessOptions): Demand {
  const given = { tokenTable, ...(policy !== undefined && { policy }) }
  return {
    forced: forcedCall(open.request, { ...given, callees: open.callees }),
    answer: demandedAnswer(open.request, tokenTable),
    strict: new Strictness(open, given),
  }
}
