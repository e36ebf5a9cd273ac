import type { Fields } from '../../fields.js'
import { BROWSER } from '../../harmony/namespaces.js'
import { fieldOf, objectAt, optionalTextIn, textsIn } from '../fields.js'
import { CALL } from './call-header.js'
import type { ItemReader } from './item-reader.js'

/**
 * Reads web_search_call: the call of gpt-oss's browser. The item lacks the page it showed, which only the history has.
 */
export const readWebSearchCall: ItemReader = (item, { conversation }, index, param) => {
  const [tool, given] = callOf(objectAt(fieldOf(item, 'action') ?? {}, `${param}.action`), `${param}.action`)
  const callee = { recipient: `${BROWSER}.${tool}`, channel: 'analysis' } as const
  const content = JSON.stringify(given)
  conversation.add({ ...CALL, ...callee, contentType: 'code', content, item: index })
  const result = { role: 'tool', name: callee.recipient, recipient: 'assistant', channel: callee.channel } as const
  conversation.add({ ...result, content: '', item: index, missing: 'omitted' })
}

/** Returns the tool of the browser, and its arguments. */
function callOf(action: Fields, param: string): [tool: string, given: Fields] {
  const type = optionalTextIn(action, 'type', param) ?? 'search'
  if (type === 'open_page') return ['open', { id: optionalTextIn(action, 'url', param) ?? '' }]
  if (type !== 'search') return ['find', { pattern: optionalTextIn(action, 'pattern', param) ?? '' }]
  const [first = ''] = textsIn(action, 'queries', param)
  return ['search', { query: optionalTextIn(action, 'query', param) ?? first }]
}
