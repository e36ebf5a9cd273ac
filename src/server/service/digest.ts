import { isFields } from '../../fields.js'
/** Returns a digest that is the same for equivalent bodies: the order of keys does not count. */
export async function digestOf(body: unknown): Promise<string> {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    isFields(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text ?? '')))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
