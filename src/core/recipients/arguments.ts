/** The arguments of a call, by name. */
export type Arguments = { readonly [name: string]: unknown }

/**
 * Parses the model's arguments for one of gpt-oss's built-in tools. Undefined if they are unusable: truncated JSON,
 * blank text, or a number.
 *
 * @param main - the argument that a bare value stands for
 */
export function parseArguments(text: string, main: string): Arguments | undefined {
  const value = parseLoosely(text)
  const isMain = typeof value === 'string' || Array.isArray(value)
  return isMain ? { [main]: value } : Object(value) === value ? (value as Arguments) : undefined
}

/** Parses a text as JSON. Returns plain text as it is, and undefined for truncated JSON or blank text. */
function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return /^\s*(["{[]|$)/.test(text) ? undefined : text
  }
}
