import { FIRST_SPECIAL, markerText } from '../../../../src/core/harmony/vocabulary.js'
import { createDetokenizer, loadTokenTable } from '../../../../src/core/tokens/index.js'

const table = await loadTokenTable()

/** The text of ids, with markers in square brackets: text that spells a marker stays as it is. */
export function showTokens(ids: readonly number[]): string {
  const detokenizer = createDetokenizer(table)
  const texts = ids.map((id) =>
    id < FIRST_SPECIAL ? detokenizer.push(id) : `${detokenizer.flush()}[${markerText(id).slice(2, -2)}]`,
  )
  return texts.join('') + detokenizer.flush()
}
