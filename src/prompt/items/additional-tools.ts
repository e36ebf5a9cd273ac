import type { Fields } from '../../fields.js'
import { unsupported } from '../../request-error.js'
import { fieldOf, listAt, nameIn, objectAt, optionalTextIn, textIn, wordIn } from '../../request-fields.js'
import type { TaughtTool, ToolNamespace } from '../tool-namespace.js'
import type { ItemReader, ReadContext } from './item-reader.js'

/**
 * Reads additional_tools: a developer message that teaches functions of the request at the item's place, so that the
 * prompt before it is the same as before they were found.
 */
export const readAdditionalTools: ItemReader = (item, context, index, param) => {
  wordIn(item, 'role', param, ['developer'])
  const namespaces = new Map<string, Map<string, TaughtTool>>()
  for (const [at, tool] of listAt(fieldOf(item, 'tools') ?? [], `${param}.tools`).entries()) {
    const path = `${param}.tools[${at}]`
    const fields = objectAt(tool, path)
    const name = nameIn(fields, 'name', path)
    const recipient = recipientOf(name, fields, context, path)
    const owner = recipient.slice(0, -name.length - 1)
    const taught = namespaces.get(owner) ?? new Map<string, TaughtTool>()
    namespaces.set(owner, taught)
    const description = optionalTextIn(fields, 'description', path)
    taught.set(name, { name, description, parameters: fieldOf(fields, 'parameters') })
  }
  const teaches = [...namespaces].map(([name, tools]): ToolNamespace => ({ name, tools: [...tools.values()] }))
  if (teaches.length > 0) context.conversation.add({ role: 'developer', content: '', item: index, teaches })
}

const HINT = "Declare the function in 'tools', too: it is taught where this item stands."

/** @throws RequestError if the request does not declare the function: its calls would fail */
function recipientOf(name: string, fields: Fields, { tools }: ReadContext, path: string): string {
  const isFunction = textIn(fields, 'type', path) === 'function'
  if (!isFunction) throw unsupported(`${path}.type`, 'additional tools but functions are')
  if (!tools.declared.functions.has(name))
    throw unsupported(`${path}.name`, 'tools that are declared here alone are', HINT)
  return tools.functionRecipient(name)
}
