import { fieldOf, optionalTextIn, wordIn } from '../../../shared/request-fields.js'
import { textOfContent } from '../content.js'
import type { ItemReader } from './item-reader.js'

const ROLES = ['user', 'assistant', 'system', 'developer'] as const

/**
 * Reads message: the user's, an earlier answer or preamble (`phase`), or instructions. A client's `system` message
 * becomes a developer message, because Harmony's system message is the host's alone.
 */
export const readMessage: ItemReader = (item, { conversation, attach }, index, param) => {
  const role = wordIn(item, 'role', param, ROLES)
  const content = textOfContent(fieldOf(item, 'content') ?? '', `${param}.content`, attach)
  if (role === 'assistant') {
    const phase = optionalTextIn(item, 'phase', param)
    const channel = phase === 'commentary' ? 'commentary' : 'final'
    conversation.add({ role, channel, content, item: index, ...(phase === undefined && { hasNoPhase: true }) })
  } else conversation.add({ role: role === 'system' ? 'developer' : role, content, item: index })
}
