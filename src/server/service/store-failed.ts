import type { Failure } from '../../translate/failure.js'

/** What clients are told of a store that fails: they may try again. */
export const STORE_FAILED: Failure = {
  code: 'server_is_overloaded',
  message: 'The server cannot reach its storage. Please try again later.',
}

/** What clients are told of a response of which the store has lost entries that were shown. */
export const ENTRIES_LOST: Failure = {
  code: 'server_error',
  message: 'The storage of the server has lost a part of this response.',
}

/** What clients are told of a response whose server stopped, and that no other one could go on with. */
export const NOT_CONTINUED: Failure = {
  code: 'server_error',
  message: 'The server that made this response stopped, and no other one could go on with it.',
}
