import { classifyRecipient } from './classify.js'
import { type DeclaredTools, declaredMcpTool, mcpPrefixes } from './declared-tools.js'
import type { RecipientPolicy } from './policy.js'
import type { Recipient } from './recipient.js'

/**
 * Whose results a tool message of this author may be, the likeliest first: almost always nobody asks further. The
 * message is for the oldest waiting call of the first of these groups that has one.
 *
 * 1. What the model addresses by this name. Of the labels of declared servers the longest wins. 2. An approved call, by
 * the labels of all servers that are declared or have one, the longest again: a call of `b.c` at `a` is not taken for
 * one of `c` at `a.b`. Where both were approved, the result of the former comes by its item's id. 3. The built-in of
 * which this is only the first segment: the errors of gpt-oss's browser come from `browser`.
 *
 * @param approved - the labels of the servers of the approved calls, declared or not
 */
export function* calleesNamed(
  author: string,
  tools: DeclaredTools,
  policy: RecipientPolicy,
  approved: readonly string[],
): Generator<readonly Recipient[]> {
  const named = (recipient: string): Recipient => classifyRecipient(recipient, undefined, tools, policy)
  const callee = named(author)
  yield [callee]
  const prefixes = approved.length > 0 ? mcpPrefixes([...tools.mcpServers.keys(), ...approved]) : []
  const tool = declaredMcpTool(author, { mcpPrefixes: prefixes })
  if (tool !== undefined) yield [{ kind: 'mcp_call', ...tool, available: true }]
  // What a declared function gave is the client's.
  if (callee.kind !== 'custom_tool_call' && !(callee.kind === 'function_call' && callee.declared)) {
    yield Object.keys(policy.builtins)
      .filter((name) => name.startsWith(`${author}.`))
      .map(named)
  }
}
