import type { Entry } from '../../../journal/entry.js'
import type { EndedResponse } from '../../../respond/index.js'
import type { FinishedResponse } from '../../../stores/store.js'
import { finishedResponse } from '../storage/finished-response.js'
import { Journal } from '../storage/journal.js'
import type { RunOptions } from './run-types.js'

/** Writes the entries of a running response, and what the store has to know before them. */
export class EntryWriter {
  readonly journal: Journal | undefined
  /** The finished response, once it is written. */
  kept: FinishedResponse | undefined
  readonly #options: RunOptions

  /** @param onLost - called once, when another process has taken the lease */
  constructor(options: RunOptions, onLost: () => void) {
    const { repository, begin } = options
    this.#options = options
    this.journal = repository && new Journal({ repository, begin, onLost })
  }

  /** Whether anything depends on the entries. */
  get isNeeded(): boolean {
    const { conversation, onEntry } = this.#options
    return this.journal !== undefined || onEntry !== undefined || conversation.approvedCalls.length > 0
  }

  append(entries: readonly Entry[], ended?: EndedResponse): Promise<void> {
    const { onEntry } = this.#options
    const isPlain = ended === undefined && entries[0]?.type !== 'open' && onEntry === undefined
    // Nearly every entry is a token, which goes to the journal without a promise of its own.
    return isPlain && this.journal !== undefined ? this.journal.append(entries) : this.#appendBound(entries, ended)
  }

  /** Keeps the end of a response that has no journal. */
  keep(ended: EndedResponse): void {
    this.kept ??= this.finishedOf(ended)
  }

  readonly finishedOf = (ended: EndedResponse): FinishedResponse => {
    const { conversation, isTransient } = this.#options
    return finishedResponse(ended, isTransient ? conversation.own : conversation.addition, this.#options)
  }

  /** Appends entries that something else depends on. */
  async #appendBound(entries: readonly Entry[], ended?: EndedResponse): Promise<void> {
    const { conversation, isTransient, consumeApprovals, endings, onEntry } = this.#options
    // By now the request has been validated, and no call has begun.
    const isFirst = entries[0]?.type === 'open'
    if (isFirst && (this.journal === undefined || isTransient)) await consumeApprovals(conversation.approvedCalls)
    const turn = ended && endings.pass()
    if (turn !== undefined) await turn
    const whole = ended && this.finishedOf(ended)
    await this.journal?.append(entries, whole)
    if (this.journal !== undefined) this.kept = whole
    if (onEntry !== undefined) for (const entry of entries) onEntry(entry)
  }
}
