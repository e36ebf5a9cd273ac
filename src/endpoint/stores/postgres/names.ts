import { createHash } from 'node:crypto'
import { marked } from '../database/marked-text.js'

/** The bytes that an index of Postgres takes for two names. */
const MAX_BYTES = 1200

/** Returns the stored form of an owner or a response's id. @throws Error if it is too long for an index */
export function nameOf(text: string): string {
  const name = marked(text)
  if (Buffer.byteLength(name) <= MAX_BYTES) return name
  throw new Error(`expected an owner and an id of at most ${MAX_BYTES} bytes, got one of ${Buffer.byteLength(name)}`)
}

/** Returns the stored form of a name that is only looked for: of one that is too long for an index, its digest. */
export function keyOf(text: string): string {
  const name = marked(text)
  if (Buffer.byteLength(name) <= MAX_BYTES) return name
  // No marked text begins like this: a quote follows its mark.
  return `\u0001#${createHash('sha256').update(name).digest('base64')}`
}
