import { check } from '../../shared/errors.js'
import { FUNCTIONS, nameIn } from '../harmony/namespaces.js'
import { type DeclaredTools, declaredFunction } from './declared-tools.js'
import { matchMcpTool, splitMcpTool } from './mcp.js'
import { policies, type RecipientMatch, type RecipientPolicy } from './policy.js'
import { prefixesOf } from './prefixes.js'
import type { Recipient } from './recipient.js'

type Matcher = (recipient: string, tools: DeclaredTools, policy: RecipientPolicy) => Recipient | undefined

const matchers: Readonly<Record<RecipientMatch, Matcher>> = {
  functions: matchFunctionsNamespace,
  builtins: (recipient, tools, policy) => tools.matchBuiltin(recipient, policy),
  function_names: matchFunctionName,
  namespaces: matchNamespace,
  mcp: matchMcpTool,
}

/** Classifies a message of one request by its recipient and its channel. */
export type Classifier = (recipient: string | undefined, channel: string | undefined) => Recipient

/**
 * Classifies a message by its recipient, or by its channel if it has none. Any string can be classified: for names that
 * the model made up, the policy's `undeclared` decides.
 *
 * @param tools - the request's tools, from {@link declareTools}
 *
 * @example
 * ```ts
 * import { classifyRecipient, declareTools } from 'harmony-responses'
 *
 * const weather = { type: 'function', name: 'get_weather', parameters: {} }
 * const tools = declareTools([weather])
 * console.log(classifyRecipient('functions.get_weather', 'commentary', tools).kind) // function_call
 * console.log(classifyRecipient(undefined, 'analysis', tools).kind) // reasoning
 * ```
 */
export function classifyRecipient(
  recipient: string | undefined,
  channel: string | undefined,
  tools: DeclaredTools,
  policy: RecipientPolicy = policies.openai,
): Recipient {
  if (recipient === undefined) return classifyChannel(channel)
  check(typeof recipient === 'string', 'classifyRecipient: recipient', 'a string or undefined', recipient)
  check(typeof tools === 'object', 'classifyRecipient: tools', 'the result of declareTools', tools)
  if (policy.nonToolRecipients.includes(recipient)) return classifyChannel(channel)
  for (const match of policy.order) {
    const found = matchers[match](recipient, tools, policy)
    if (found !== undefined) return found
  }
  return classifyUndeclared(recipient, tools, policy)
}

function classifyChannel(channel: string | undefined): Recipient {
  if (channel === 'analysis') return { kind: 'reasoning' }
  return { kind: 'message', phase: channel === 'commentary' ? channel : 'final_answer' }
}

function classifyUndeclared(recipient: string, tools: DeclaredTools, policy: RecipientPolicy): Recipient {
  if (policy.undeclared === 'function_call') return functionRecipient(recipient, tools)
  const available = policy.undeclared === 'mcp_call'
  return { kind: 'mcp_call', ...splitMcpTool(recipient, available ? policy.aliases : {}), available }
}

/** Matches `functions.NAME` and `functions.NAMESPACE.NAME`, declared or not. */
function matchFunctionsNamespace(recipient: string, tools: DeclaredTools): Recipient | undefined {
  const name = nameIn(FUNCTIONS, recipient)
  if (name === undefined) return undefined
  // A namespace may itself be called `functions`.
  return matchFunctionName(name, tools) ?? matchNamespace(recipient, tools) ?? functionRecipient(name, tools)
}

/** Matches `NAME` if the request declares a function or a custom tool with exactly that name. */
function matchFunctionName(recipient: string, tools: DeclaredTools): Recipient | undefined {
  const found = declaredFunction(recipient, tools)
  return found?.namespace === undefined ? found : undefined
}

/** Matches `NAMESPACE.NAME` if the request declares that tool in that namespace. */
function matchNamespace(recipient: string, tools: DeclaredTools): Recipient | undefined {
  const found = declaredFunction(recipient, tools)
  return found?.namespace === undefined ? undefined : found
}

/**
 * Returns the function or custom tool declared under this name, else an undeclared function. If the name begins with a
 * declared namespace, the function is in the longest one, so that the client knows which tool to refuse.
 */
function functionRecipient(path: string, tools: DeclaredTools): Recipient {
  const found = declaredFunction(path, tools)
  if (found !== undefined) return found
  const namespace = prefixesOf(path, tools.namespaces).find((name) => path.length > name.length + 1)
  const name = namespace === undefined ? path : path.slice(namespace.length + 1)
  return { kind: 'function_call', name, ...(namespace !== undefined && { namespace }), declared: false }
}
