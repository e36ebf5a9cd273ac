import { type BuiltinItemType, builtinCalled } from '../../../core/recipients/builtin-tools.js'
import { lookUp } from '../../../core/recipients/policy.js'
import type { McpCallItem, OutputItem } from '../../../core/responses/items.js'
import type { HostedCall } from '../../tools/tool.js'

/** Returns the hosted calls of a response that wait for a result, oldest first. The model is not sampling. */
export function waitingCalls(output: readonly OutputItem[]): HostedCall[] {
  const answered = new Set(output.flatMap((item) => (item.type === 'shell_call_output' ? [item.call_id] : [])))
  return output.filter((item): item is HostedCall => {
    if (item.type === 'mcp_call') return item.status === 'in_progress'
    const builtin = builtinCalled(item)
    if (builtin === undefined || !builtin.isHosted(item) || !builtin.isWaiting(item)) return false
    return !('call_id' in item && answered.has(item.call_id))
  })
}

/** Whether the client has to act on an item, except for calls of built-in tools, whose descriptors decide. */
const FOR_CLIENT: { readonly [Type in Exclude<OutputItem['type'], BuiltinItemType>]: boolean } = {
  message: false,
  reasoning: false,
  function_call: true,
  custom_tool_call: true,
  mcp_list_tools: false,
  mcp_approval_request: true,
  mcp_call: false,
  shell_call_output: false,
}

/** Whether the client has to act before the model can continue: run a call, or approve one. */
export function isForClient(item: OutputItem): boolean {
  return lookUp(FOR_CLIENT, item.type) ?? builtinCalled(item)?.isHosted(item) === false
}

/** Whether the host ran it, so that the model continues. */
export function isHosted(item: OutputItem): boolean {
  return item.type === 'mcp_call' || (builtinCalled(item)?.runBy ?? 'client') !== 'client'
}

/** A call that failed as soon as it was written, because the request does not allow its tool. */
export type RefusedCall = McpCallItem & { readonly error: NonNullable<McpCallItem['error']> }

/** Whether a call has failed. Without a result, it was refused. */
export function isRefused(item: OutputItem): item is RefusedCall {
  return item.type === 'mcp_call' && item.status === 'failed' && item.error !== null
}

/** Whether it is a call that the model has completed. */
export function isCompleteCall(item: OutputItem): boolean {
  if (item.type === 'mcp_approval_request') return true
  if (isForClient(item)) return 'status' in item && item.status === 'completed'
  return waitingCalls([item]).length > 0 || isRefused(item)
}
