import { closable } from '../../shared/closable.js'
import type { KeptResponse } from './kept-response.js'
import type { StoredBlock } from './store.js'

/**
 * Returns the entries of a response from one on, as they are written, until it ends.
 *
 * @param list - the blocks, which the reader keeps even if the store evicts or replaces them before it begins
 */
export function followBlocks(
  response: KeptResponse,
  list: readonly StoredBlock[],
  from: number,
): AsyncGenerator<readonly StoredBlock[]> {
  const { readers } = response
  let isLeft = false
  let wake = (): void => {}
  async function* read(): AsyncGenerator<readonly StoredBlock[]> {
    for (let next = list.findIndex(({ at, count }) => at + count > from); !isLeft; ) {
      if (next === -1) next = list.length
      if (next < list.length) {
        const added = list.slice(next)
        next = list.length
        const newBlocks = added.filter(({ at, count }) => at + count > from)
        if (newBlocks.length > 0) yield newBlocks
      } else if (response.finished !== undefined || response.isDeleted) return
      else {
        await new Promise<void>((resolve) => {
          wake = () => {
            readers.delete(wake)
            resolve()
          }
          readers.add(wake)
        })
      }
    }
  }
  return closable(read(), () => {
    isLeft = true
    wake()
  })
}
