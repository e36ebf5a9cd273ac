import type { InputItem } from '../../../../core/responses/input-items.js'
import type { Includable } from '../../../../core/responses/request-parameters.js'
import { listedItem } from './listed-item.js'

/** The parts of items that are listed only if a request asks for them. */
type Part = Exclude<Includable, `${string}image_url` | 'web_search_call.results'>

/** Returns an item of a conversation as it is listed. */
export function includedItem(item: InputItem, include: readonly Includable[]): object {
  const listed = listedItem(item) as { readonly type: string; readonly [name: string]: unknown }
  const omits = (part: Part): boolean => !include.includes(part)
  switch (listed.type) {
    case 'reasoning':
      return omits('reasoning.encrypted_content') ? without(listed, 'encrypted_content') : listed
    case 'message':
      if (!omits('message.output_text.logprobs')) return listed
      return { ...listed, content: (listed['content'] as readonly object[]).map(withoutLogprobs) }
    case 'code_interpreter_call':
      return omits('code_interpreter_call.outputs') ? { ...listed, outputs: null } : listed
    case 'file_search_call':
      return omits('file_search_call.results') ? { ...listed, results: null } : listed
    case 'web_search_call':
      if (!omits('web_search_call.action.sources')) return listed
      return { ...listed, action: without({ ...(listed['action'] as object) }, 'sources') }
    default:
      return listed
  }
}

function withoutLogprobs(part: object): object {
  return 'logprobs' in part ? { ...part, logprobs: [] } : part
}

function without(item: object, field: string): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name !== field))
}
