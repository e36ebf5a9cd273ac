import { declaredMcpTool, mcpPrefixes } from './declared-tools.js'
import type { Recipient } from './recipient.js'
import type { ResolvedTools } from './request-tools.js'

/** The recipients and authors of messages. */
export interface Recipients extends ResolvedTools {
  /** The servers of approved calls, which may be undeclared. */
  readonly labels: readonly string[]
}

/**
 * Yields the callees that a tool message of this author may come from, in groups, the likeliest first (lazily, because
 * the first group almost always matches). The message belongs to the oldest waiting call of the first group that has
 * one.
 *
 * 1. The tool that the model addresses by this name. The longest label of a declared server wins. 2. An approved call,
 *    by the labels of all servers that are declared or have one. The longest label wins again, so that a call of `b.c`
 *    at `a` is not confused with one of `c` at `a.b`. If both were approved, give the result of the former by its item
 *    id. 3. The built-ins with this first segment: the errors of gpt-oss's browser come from `browser`.
 */
export function* calleesNamed(
  author: string,
  { classify, declared, policy, labels: approved }: Recipients,
): Generator<readonly Recipient[]> {
  const named = (recipient: string): Recipient => classify(recipient, undefined)
  const callee = named(author)
  yield [callee]
  const labels = approved.length > 0 ? [...declared.mcpServers.keys(), ...approved] : []
  const tool = declaredMcpTool(author, { mcpPrefixes: mcpPrefixes(labels) })
  if (tool !== undefined) yield [{ kind: 'mcp_call', ...tool, available: true }]
  // The client answers calls of declared functions.
  if (callee.kind !== 'custom_tool_call' && !(callee.kind === 'function_call' && callee.declared)) {
    yield declared.recipientsIn(author, policy).map(named)
  }
}
