/** `call_...` as clients of this API know ids of calls, and back: some look at the prefix. */
export function toolUseId(callId: string): string {
  return callId.replace(/^call_/, 'toolu_')
}

/**
 * The arguments of a call as the JSON object that this API has them as. What is none becomes the one field of an object:
 * clients parse it before they look at it, and the model reads what they have to say.
 */
export function toolInput(text: string): { [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as { [name: string]: unknown }
  } catch {
    // As any other text.
  }
  return text.trim() === '' ? {} : { input: text }
}
