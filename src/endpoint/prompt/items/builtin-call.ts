import { type BuiltinTool, builtinNamed } from '../../../core/recipients/builtin-tools.js'
import { nameIn } from '../../../shared/request-fields.js'
import type { CallKind } from '../conversation.js'
import { CALL, JSON_BODY } from './call-header.js'
import type { ItemReader } from './item-reader.js'

/** The content type in the header of a call, for each format of body. */
const BODIES = { json: JSON_BODY, code: { contentType: 'code' }, text: {} } as const

/** Creates the reader of a built-in tool's calls. For a call that the host ran, it also adds the result. */
export function readBuiltinCall(tool: BuiltinTool): ItemReader {
  const { item: type, channel, body, recipientAfter, runBy, written } = builtinNamed(tool)
  return (item, { conversation, tools }, index, param) => {
    const call = written(item, param, tools.declared.builtins.has(tool))
    if (call === undefined) return
    const { recipient, content, result } = call
    const message = { ...CALL, recipientAfter, recipient, channel, ...BODIES[body], content, item: index } as const
    if (runBy !== 'host') {
      // The client's answer is an item of its own, which refers to the call.
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
