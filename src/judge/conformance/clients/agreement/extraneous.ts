import type { EventRef } from '../votes.js'

/** A part of a stream that does not belong to the intended response or answer. */
export interface Extraneous {
  /** It came after the end, is of another response, or comes again after it was done. */
  readonly why: 'late' | 'foreign' | 'repeated'
  readonly at: EventRef
  /** The name of the call that it is about. */
  readonly name?: string
}

/** The number of remembered entries, for messages. */
const MAX_EXTRANEOUS = 20

/** The extraneous of one stream: only the first few. */
export class ExtraneousList {
  readonly all: Extraneous[] = []

  add(extraneous: Extraneous): void {
    if (this.all.length < MAX_EXTRANEOUS) this.all.push(extraneous)
  }
}
