import { check } from '../errors.js'
import type { CodeOutput } from '../responses/items.js'
import type { CallResult } from './items/item.js'

/** What became of a hosted call, by the id of its item. */
export type ToolResult = { readonly itemId: string } & (
  | { readonly output: string }
  | { readonly outputs: readonly CodeOutput[] }
  | { readonly error: { readonly code?: string | number; readonly message: string } }
)

/**
 * @throws HarmonyResponsesError `bad_result`, with what was expected and what came
 */
export function checkResult(result: unknown): void {
  const { itemId, output, outputs, error } = Object(result) as { [field: string]: unknown }
  const message = (Object(error) as { message?: unknown }).message
  const saysSomething = typeof output === 'string' || Array.isArray(outputs) || typeof message === 'string'
  const expected = 'an itemId, and an output, outputs or an error'
  const got = Object.keys(Object(result)).join(', ') || result
  check(typeof itemId === 'string' && saysSomething, 'toolResult', expected, got, 'bad_result')
}

/** What of it is the call's. */
export function resultOf(result: ToolResult): CallResult {
  if ('error' in result) return { error: result.error }
  return 'outputs' in result ? { outputs: result.outputs } : { output: result.output }
}
