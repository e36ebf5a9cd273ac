import { isFields } from '../../fields.js'
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
    if (isFields(value)) return value as { [name: string]: unknown }
  } catch {
    // Not JSON: handled like any other text.
  }
  return text.trim() === '' ? {} : { input: text }
}
