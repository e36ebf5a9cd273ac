import { type BuiltinTool, builtinNamed } from '../../recipients/builtin-tools.js'
import { nameIn } from '../../recipients/request-fields.js'
import type { CallKind } from '../conversation.js'
import { CALL, JSON_BODY } from './call-header.js'
import type { ItemReader } from './item-reader.js'

/** Of each kind of body, how the header of a call says what it is. */
const BODIES = { json: JSON_BODY, code: { contentType: 'code' }, text: {} } as const

/** A call of a built-in tool, as its descriptor writes it; of one that the host ran, also its result. */
export function readBuiltinCall(tool: BuiltinTool): ItemReader {
  const { item: type, channel, body, recipientAfter, runBy, written } = builtinNamed(tool)
  return (item, { conversation, tools }, index, param) => {
    const call = written(item, param, tools.declared.builtins.has(tool))
    if (call === undefined) return
    const { recipient, content, result } = call
    const message = { ...CALL, recipientAfter, recipient, channel, ...BODIES[body], content, item: index } as const
    if (runBy !== 'host') {
      // The client answers it, in an item that names it.
      const kind = type.replaceAll('_', ' ') as CallKind
      conversation.call(kind, nameIn(item, 'call_id', param), { recipient, channel }, message, param)
      return
    }
    conversation.add(message)
    const answer = { role: 'tool', name: recipient, recipient: 'assistant', channel, item: index } as const
    conversation.add(
      result === undefined ? { ...answer, content: '', missing: 'omitted' } : { ...answer, content: result },
    )
  }
}
