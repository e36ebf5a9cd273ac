import type { CodeOutput } from '../responses/items.js'
import type { CallResult } from './items/item.js'

/** What became of a hosted call, by the id of its item. */
export type ToolResult = { readonly itemId: string } & (
  | { readonly output: string }
  | { readonly outputs: readonly CodeOutput[] }
  | { readonly error: { readonly code?: string | number; readonly message: string } }
)

/** What of it is the call's. */
export function resultOf(result: ToolResult): CallResult {
  if ('error' in result) return { error: result.error }
  return 'outputs' in result ? { outputs: result.outputs } : { output: result.output }
}
