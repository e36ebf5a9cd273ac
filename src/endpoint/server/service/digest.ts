import { isFields } from '../../../shared/fields.js'
import { sha256 } from './sha256.js'

/** Returns a digest that is the same for equivalent bodies: the order of keys does not count. */
export async function digestOf(body: unknown): Promise<string> {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    isFields(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  return sha256(text ?? '')
}
