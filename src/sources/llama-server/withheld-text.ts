import { FIRST_SPECIAL, markerText } from '../../harmony/vocabulary.js'
import type { TokenTable } from '../../tokens/token-table.js'

/**
 * Tracks text that comes later than its tokens: while a stop word may have begun (with the `<` of `<|message|>`),
 * llama-server sends ids without their text, and the text with a later id.
 */
export interface WithheldText {
  /**
   * Takes an event's text.
   *
   * @returns what is not explained by the tokens so far and this one, which begins in front of this one's text; empty if
   *   nothing is left
   */
  unexplained(content: string, id: number): string
}

export function createWithheldText(table: TokenTable): WithheldText {
  let withheld = ''
  return {
    unexplained(content, id) {
      const own = id >= FIRST_SPECIAL ? markerText(id) : table.text(id)
      const expected = own === undefined ? undefined : withheld + own
      if (expected?.startsWith(content)) {
        withheld = expected.slice(content.length)
        return ''
      }
      const rest = content.startsWith(withheld) ? content.slice(withheld.length) : content
      withheld = ''
      return rest
    },
  }
}
