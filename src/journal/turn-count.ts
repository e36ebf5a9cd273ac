import type { HostUsage } from '../tokens/token-source.js'
import type { Translator } from '../translate/translator.js'
import type { CallUsage } from './entry.js'

/**
 * Tells the translator how many tokens a turn took, where its engine counts more than were read: what the engine gave as
 * text may be other ids than the model sampled. The translator counts what it reads, until it is told: then it is told of
 * all that follows too.
 */
export class TurnCount {
  #read = 0
  #isTold = false

  begin(): void {
    this.#read = 0
    this.#isTold = false
  }

  /**
   * @param tokens - how many the translator reads
   * @param unread - how many more the model sampled; fewer if below 0
   */
  read(translator: Translator, tokens: number, unread = 0): void {
    this.#read += tokens
    if (this.#isTold) translator.addUsage({ outputTokens: tokens + unread })
    else if (unread !== 0) translator.addUsage(this.#output(unread))
  }

  add(translator: Translator, { unreadTokens = 0, ...counts }: CallUsage): void {
    translator.addUsage({ ...counts, ...(unreadTokens > 0 && this.#output(unreadTokens)) })
  }

  #output(unread: number): HostUsage {
    const outputTokens = this.#isTold ? unread : this.#read + unread
    this.#isTold = true
    return { outputTokens }
  }
}
