import { fieldOf, listAt, wordIn } from '../../../shared/request-fields.js'
import type { ItemReader } from './item-reader.js'

/**
 * Reads additional_tools: a developer message that teaches the tools at the item's place, so that the prompt before it is
 * the same as before they were declared. Leading items belong to the head.
 */
export const readAdditionalTools: ItemReader = (item, { conversation, taughtAt }, index, param) => {
  wordIn(item, 'role', param, ['developer'])
  listAt(fieldOf(item, 'tools') ?? [], `${param}.tools`)
  const teaches = taughtAt?.get(item) ?? []
  if (teaches.length > 0) conversation.add({ role: 'developer', content: '', item: index, teaches })
}
