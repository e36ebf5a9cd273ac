import type { Failure } from '../../translate/failure.js'

/** What clients are told of a store that fails: they may try again. */
export const STORE_FAILED: Failure = {
  code: 'server_is_overloaded',
  message: 'The server cannot reach its storage. Please try again later.',
}
