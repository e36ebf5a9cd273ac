import { type DeclaredTools, declaresFunction, FUNCTIONS_NAMESPACE } from './declared-tools.js'
import type { Recipient } from './recipient.js'

/** `functions.NAME`, whether or not the request declares it. */
export function matchFunctionsNamespace(recipient: string, tools: DeclaredTools): Recipient | undefined {
  if (!recipient.startsWith(FUNCTIONS_NAMESPACE) || recipient === FUNCTIONS_NAMESPACE) return undefined
  return functionRecipient(recipient.slice(FUNCTIONS_NAMESPACE.length), tools)
}

/** `NAME`, where the request declares a function or a custom tool of exactly that name. */
export function matchFunctionName(recipient: string, tools: DeclaredTools): Recipient | undefined {
  return declaresFunction(recipient, tools) ? functionRecipient(recipient, tools) : undefined
}

/** The custom tool of that name, if there is one, or else the function. */
export function functionRecipient(name: string, tools: DeclaredTools): Recipient {
  if (tools.customTools.has(name)) return { kind: 'custom_tool_call', name }
  return { kind: 'function_call', name, declared: tools.functions.has(name) }
}
