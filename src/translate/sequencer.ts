import { deriveId, type IdFactory, type IdPrefix } from './ids.js'

/** The counters of one response. Plain data. */
export interface SequencerSnapshot {
  readonly sequenceNumber: number
  readonly outputIndex: number
  readonly ordinal: number
}

/** The one place that counts: sequence numbers, output indexes and ids, each from 0 and without a gap. */
export class Sequencer {
  readonly responseId: string
  readonly #ids: IdFactory
  #sequenceNumber: number
  #outputIndex: number
  #ordinal: number

  constructor(responseId: string, ids: IdFactory = deriveId, snapshot?: SequencerSnapshot) {
    this.responseId = responseId
    this.#ids = ids
    this.#sequenceNumber = snapshot?.sequenceNumber ?? 0
    this.#outputIndex = snapshot?.outputIndex ?? 0
    this.#ordinal = snapshot?.ordinal ?? 0
  }

  sequenceNumber(): number {
    return this.#sequenceNumber++
  }

  outputIndex(): number {
    return this.#outputIndex++
  }

  id(prefix: IdPrefix): string {
    return this.#ids(prefix, this.#ordinal++, this.responseId)
  }

  snapshot(): SequencerSnapshot {
    return { sequenceNumber: this.#sequenceNumber, outputIndex: this.#outputIndex, ordinal: this.#ordinal }
  }
}
