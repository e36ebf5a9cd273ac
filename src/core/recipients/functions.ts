import { FUNCTIONS, nameIn } from '../harmony/namespaces.js'
import { type DeclaredTools, declaredFunction } from './declared-tools.js'
import { prefixesOf } from './prefixes.js'
import type { Recipient } from './recipient.js'

/** Matches `functions.NAME` and `functions.NAMESPACE.NAME`, declared or not. */
export function matchFunctionsNamespace(recipient: string, tools: DeclaredTools): Recipient | undefined {
  const name = nameIn(FUNCTIONS, recipient)
  if (name === undefined) return undefined
  // A namespace may itself be called `functions`.
  return matchFunctionName(name, tools) ?? matchNamespace(recipient, tools) ?? functionRecipient(name, tools)
}

/** Matches `NAME` if the request declares a function or a custom tool with exactly that name. */
export function matchFunctionName(recipient: string, tools: DeclaredTools): Recipient | undefined {
  const found = declaredFunction(recipient, tools)
  return found?.namespace === undefined ? found : undefined
}

/** Matches `NAMESPACE.NAME` if the request declares that tool in that namespace. */
export function matchNamespace(recipient: string, tools: DeclaredTools): Recipient | undefined {
  const found = declaredFunction(recipient, tools)
  return found?.namespace === undefined ? undefined : found
}

/**
 * Returns the function or custom tool declared under this name, else an undeclared function. If the name begins with a
 * declared namespace, the function is in the longest one, so that the client knows which tool to refuse.
 */
export function functionRecipient(path: string, tools: DeclaredTools): Recipient {
  const found = declaredFunction(path, tools)
  if (found !== undefined) return found
  const namespace = prefixesOf(path, tools.namespaces).find((name) => path.length > name.length + 1)
  const name = namespace === undefined ? path : path.slice(namespace.length + 1)
  return { kind: 'function_call', name, ...(namespace !== undefined && { namespace }), declared: false }
}
