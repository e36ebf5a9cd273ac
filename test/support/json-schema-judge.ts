import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

// One for all schemas: creating it takes longer than validating.
const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true })
addFormats.default(ajv)
// Ajv rejects mailboxes in quotes and at addresses, which RFC 5321 (4.1.2) allows.
const email = ajv.formats['email'] as RegExp
ajv.addFormat('email', (text: string) =>
  email.test(text.replace(/^"(?:[^"\\]|\\.)*"@/, 'a@').replace(/@\[[^\]]+\]$/, '@a.b')),
)

/** The judge of JSON Schemas: whether a value is valid. Formats count. */
export function validatorOf(schema: unknown): (value: unknown) => boolean {
  const isValid = ajv.compile(schema as object)
  if (typeof schema === 'object') ajv.removeSchema(schema as object)
  return (value) => isValid(value) as boolean
}
