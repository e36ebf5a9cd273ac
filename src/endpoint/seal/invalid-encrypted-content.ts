import { RequestError } from '../../shared/request-error.js'

/** Returns the one error for everything that does not open: distinct reasons would help an attacker. */
export function invalidEncryptedContent(param: string | undefined): RequestError {
  const where = param === undefined ? '' : ` of '${param}'`
  const message = `The encrypted content${where} could not be verified.`
  return new RequestError(message, { param: param ?? null, code: 'invalid_encrypted_content' })
}
