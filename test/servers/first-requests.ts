import type { NamedBackend } from '../../src/engines/sources/structured-outputs/backends.js'
import type { RealServer } from './server.js'

/**
 * The first constrained request chooses the backend of a vLLM that is started without one, for all later requests. A
 * schema that xgrammar takes chooses it; one that xgrammar refuses, guidance; one that guidance refuses too, outlines.
 */
export const FIRST_REQUESTS: Readonly<Record<string, { readonly schema: object; readonly backend: NamedBackend }>> = {
  'a plain schema': { schema: { type: 'object', properties: { a: { type: 'boolean' } } }, backend: 'xgrammar' },
  'a multiple': { schema: { type: 'integer', multipleOf: 7 }, backend: 'guidance' },
  'names by pattern': {
    schema: { type: 'object', properties: { a: { type: 'null' } }, patternProperties: { '^b$': { type: 'null' } } },
    backend: 'other',
  },
}

/** A grammar that only guidance takes. */
export const FOR_GUIDANCE = { grammar: '%llguidance {}\nstart: "a"' } as const

/** @throws Error if the server refuses it */
export async function askFirst({ url }: RealServer, constraint: object): Promise<void> {
  const body = { model: 'gpt-oss', prompt: [200_008], max_tokens: 8, structured_outputs: constraint }
  const answer = await fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}
