import { FUNCTIONS, MCP } from '../harmony/namespaces.js'
import { classifyRecipient } from './classify.js'
import type { DeclaredTools } from './declared-tools.js'
import type { RecipientPolicy } from './policy.js'
import { type Recipient, recipientKey } from './recipient.js'

/** A word that a header can contain: nothing in it ends a recipient, begins JSON or spells a marker. */
export const ADDRESS: RegExp = /^[\w.:/@-]+$/

/** Returns the names of a client's tool, the taught one first. */
export function functionSpellings(name: string, namespace: string | undefined): readonly string[] {
  if (namespace === undefined) return [`${FUNCTIONS}.${name}`]
  return [`${namespace}.${name}`, `${FUNCTIONS}.${namespace}.${name}`]
}

/** Returns the names of a tool of an MCP server, the taught one first. */
export function mcpSpellings(label: string, name: string): readonly string[] {
  return [`${label}.${name}`, `${MCP}.${label}.${name}`]
}

/** Returns the first of a callee's names that is classified as that callee: another tool may have the same name. */
export function addressOf(
  callee: Recipient,
  spellings: readonly string[],
  tools: DeclaredTools,
  policy: RecipientPolicy,
): string | undefined {
  const key = recipientKey(callee)
  return spellings.find(
    (spelling) => ADDRESS.test(spelling) && recipientKey(classifyRecipient(spelling, undefined, tools, policy)) === key,
  )
}
