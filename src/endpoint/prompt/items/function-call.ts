import type { Fields } from '../../../shared/fields.js'
import { fieldOf, nameIn, textIn } from '../../../shared/request-fields.js'
import { textOfContent } from '../content.js'
import type { CallKind } from '../conversation.js'
import { CALL, JSON_BODY } from './call-header.js'
import type { ItemReader } from './item-reader.js'
import { addressIn } from './request-address.js'

/** Reads function_call: the model's call of a client's function, with its arguments as the model wrote them. */
export const readFunctionCall: ItemReader = callReader('function call', 'arguments', JSON_BODY)

/** Reads custom_tool_call: a call with free text for arguments, and so without a content type. */
export const readCustomToolCall: ItemReader = callReader('custom tool call', 'input', {})

function callReader(kind: CallKind, written: string, body: Partial<typeof JSON_BODY>): ItemReader {
  return (item, { conversation, tools }, index, param) => {
    const recipient = tools.functionRecipient(addressIn(item, 'name', param), namespaceOf(item, param))
    const callee = { recipient, channel: 'commentary' } as const
    const call = { ...CALL, ...body, ...callee, content: textIn(item, written, param), item: index }
    conversation.call(kind, nameIn(item, 'call_id', param), callee, call, param)
  }
}

function namespaceOf(item: Fields, param: string): string | undefined {
  return fieldOf(item, 'namespace') === undefined ? undefined : addressIn(item, 'namespace', param)
}

/**
 * Creates the reader of function_call_output or custom_tool_call_output: the client tool's result, a string or parts.
 */
export function readOutput(kind: CallKind): ItemReader {
  return (item, { conversation, attach }, index, param) => {
    const text = textOfContent(fieldOf(item, 'output') ?? '', `${param}.output`, attach)
    conversation.output(nameIn(item, 'call_id', param), { kind, item: index, param, text })
  }
}
