import { type DeclaredTools, declaresFunction, FUNCTIONS_NAMESPACE } from './declared-tools.js'
import type { Recipient } from './recipient.js'

/** `functions.NAME`, whether or not the request declares it. */
export function matchFunctionsNamespace(recipient: string, tools: DeclaredTools): Recipient | undefined {
  const name = recipient.startsWith(FUNCTIONS_NAMESPACE) ? recipient.slice(FUNCTIONS_NAMESPACE.length) : ''
  return name === '' ? undefined : functionRecipient(name, tools)
}

/** `NAME`, where the request declares a function or a custom tool of exactly that name. */
export function matchFunctionName(recipient: string, tools: DeclaredTools): Recipient | undefined {
  if (!declaresFunction(recipient, tools)) return undefined
  return functionRecipient(recipient, tools)
}

/** The custom tool of that name, if there is one, or else the function. */
export function functionRecipient(name: string, tools: DeclaredTools): Recipient {
  if (tools.customTools.has(name)) return { kind: 'custom_tool_call', name }
  return { kind: 'function_call', name, declared: tools.functions.has(name) }
}
