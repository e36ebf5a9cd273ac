/**
 * Encryption for what clients keep for the server: reasoning, approval requests, compactions. docs/sealing.md explains
 * it.
 *
 * @packageDocumentation
 */

export { RequestError, type RequestErrorBody } from '../../shared/request-error.js'
export type { Unsealed, UnsealedApproval, UnsealedText } from './content.js'
export type { SealKey } from './keys.js'
export { parseSealKeys } from './read-seal-keys.js'
export {
  createNonce,
  createSeal,
  type ResponseSeal,
  type Seal,
  type SealedResponse,
  type UnsealOptions,
} from './seal.js'
export type { SealedKind } from './sealed-text.js'
export { type UnsealedEntry, type UnsealedInput, type UnsealInputOptions, unsealInput } from './unseal-input.js'
