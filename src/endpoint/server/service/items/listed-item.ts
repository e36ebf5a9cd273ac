import type { InputContent } from '../../../../core/responses/input-content.js'
import type { InputItem, InputMessage } from '../../../../core/responses/input-items.js'

/** The items whose listed form always has a status, though clients omit it. */
const WITH_STATUS: readonly string[] = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]

/** Returns an input item in the API's listed form: complete, although clients may send short forms. */
export function listedItem(item: InputItem): object {
  const { type = 'message', status } = item as { readonly type?: string; readonly status?: string | null }
  const isMessage = type === 'message'
  return {
    ...item,
    type,
    ...(isMessage && { content: partsOf(item as InputMessage) }),
    ...(WITH_STATUS.includes(type) && { status: status ?? 'completed' }),
  }
}

/** Converts a text to one part, of the kind of its role. */
function partsOf({ role, content }: InputMessage): readonly object[] {
  if (typeof content !== 'string') return content.map((part) => listedPart(part, role === 'assistant'))
  return [listedPart({ type: 'input_text', text: content }, role === 'assistant')]
}

function listedPart(part: InputContent, isOutput: boolean): object {
  switch (part.type) {
    case 'input_text':
      return isOutput ? outputText(part.text) : part
    case 'output_text':
      return isOutput ? { ...outputText(part.text), ...withoutNulls(part) } : { type: 'input_text', text: part.text }
    case 'input_image':
      return { ...part, detail: part.detail ?? 'auto' }
    default:
      return part
  }
}

function outputText(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function withoutNulls(part: object): object {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null))
}
