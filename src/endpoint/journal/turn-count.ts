import type { HostUsage } from '../../core/tokens/token-source.js'
import type { Translator } from '../../core/translate/translator.js'
import type { CallUsage } from './entry.js'

/**
 * Corrects the translator's token count of a turn if the engine's differs: text from the engine may encode to other ids
 * than the model sampled. The translator counts the tokens that it reads until the first correction; after that, every
 * count is passed to it.
 */
export class TurnCount {
  #read = 0
  #isTold = false

  begin(): void {
    this.#read = 0
    this.#isTold = false
  }

  /**
   * @param tokens - the number that the translator reads
   * @param unread - how many more the model sampled; negative if fewer
   */
  read(translator: Translator, tokens: number, unread = 0): void {
    this.#read += tokens
    if (this.#isTold) translator.addUsage({ outputTokens: tokens + unread })
    else if (unread !== 0) translator.addUsage(this.#output(unread))
  }

  add(translator: Translator, { unreadTokens = 0, ...counts }: CallUsage): void {
    translator.addUsage({ ...counts, ...(unreadTokens !== 0 && this.#output(unreadTokens)) })
  }

  #output(unread: number): HostUsage {
    const outputTokens = this.#isTold ? unread : this.#read + unread
    this.#isTold = true
    return { outputTokens }
  }
}
