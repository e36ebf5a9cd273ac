import type { InputItem } from '../../responses/input-items.js'
import type { Seal } from '../../seal/index.js'

/** The items without the sealed reasoning of another server's, which nobody here can read: the model does without. */
export function withoutForeignReasoning(items: readonly InputItem[], seal: Seal): readonly InputItem[] {
  return items.map((item) => {
    if (item.type !== 'reasoning') return item
    const { encrypted_content: sealed, ...rest } = item
    return typeof sealed === 'string' && seal.isForeign(sealed) ? rest : item
  })
}
