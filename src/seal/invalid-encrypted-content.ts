import { RequestError } from '../request-error.js'

/** One for all that does not open: an error that told reasons apart would help whoever tries. */
export function invalidEncryptedContent(param: string | undefined): RequestError {
  const where = param === undefined ? '' : ` of '${param}'`
  const message = `The encrypted content${where} could not be verified.`
  return new RequestError(message, { param: param ?? null, code: 'invalid_encrypted_content' })
}
