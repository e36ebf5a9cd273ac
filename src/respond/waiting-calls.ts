import type { McpCallItem, OutputItem } from '../responses/items.js'
import type { HostedCall } from '../tools/tool.js'

/** The hosted calls of a response that wait for a result, oldest first. The model is not sampling. */
export function waitingCalls(output: readonly OutputItem[]): HostedCall[] {
  const answered = new Set(output.flatMap((item) => (item.type === 'shell_call_output' ? [item.call_id] : [])))
  return output.filter((item): item is HostedCall => {
    switch (item.type) {
      case 'mcp_call':
        return item.status === 'in_progress'
      case 'code_interpreter_call':
        return item.status === 'interpreting'
      case 'web_search_call':
        return item.status === 'searching'
      case 'shell_call':
        return item.environment?.type === 'container_reference' && !answered.has(item.call_id)
      default:
        return false
    }
  })
}

/** Whether the client has to act before the model can go on: run a call, or approve one. */
export function isForClient(item: OutputItem): boolean {
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'apply_patch_call':
    case 'mcp_approval_request':
      return true
    case 'shell_call':
      return item.environment?.type !== 'container_reference'
    default:
      return false
  }
}

/** Whether the host ran it: then the model goes on. */
export function isHosted({ type }: OutputItem): boolean {
  return ['mcp_call', 'code_interpreter_call', 'web_search_call', 'shell_call'].includes(type)
}

/** A call that failed as soon as it was written: the request does not allow its tool. */
export type RefusedCall = McpCallItem & { readonly error: NonNullable<McpCallItem['error']> }

/** Whether a call has failed. It was refused, if nobody has given it a result. */
export function isRefused(item: OutputItem): item is RefusedCall {
  return item.type === 'mcp_call' && item.status === 'failed' && item.error !== null
}

/** Whether it is a call that the model has written to its end. */
export function isCompleteCall(item: OutputItem): boolean {
  if (item.type === 'mcp_approval_request') return true
  if (isForClient(item)) return 'status' in item && item.status === 'completed'
  return waitingCalls([item]).length > 0 || isRefused(item)
}
