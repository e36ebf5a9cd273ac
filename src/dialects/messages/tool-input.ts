import { isDeeperThan, isFields } from '../../shared/fields.js'

/**
 * In levels. `JSON.stringify` overflows the stack at some thousands. A client sends the call back in a body that may have
 * 100 by default, those around the input included.
 */
const DEEPEST_INPUT = 90

/** Converts ids of calls to this API's form (`toolu_...` for `call_...`) and back: some clients check the prefix. */
export function toolUseId(callId: string): string {
  return callId.replace(/^call_/, 'toolu_')
}

/**
 * Returns the arguments of a call as a JSON object. Anything else becomes the single field of an object: clients parse
 * it first, and their error reaches the model.
 */
export function toolInput(text: string): { [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value) && !isDeeperThan(DEEPEST_INPUT, value)) return value as { [name: string]: unknown }
  } catch {
    // Not JSON: handled like any other text.
  }
  return text.trim() === '' ? {} : { input: text }
}
