import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

// One for all schemas: it takes longer to make than to ask.
const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true })
addFormats.default(ajv)
// Ajv knows no mailbox in quotes and none at an address, which RFC 5321 (4.1.2) has.
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
