import type { Failure } from '../../../../core/completion/failure.js'

/** The client's failure if the store fails: it may retry. */
export const STORE_FAILED: Failure = {
  code: 'server_is_overloaded',
  message: 'The server cannot reach its storage. Please try again later.',
}

/** The client's failure if the store has lost entries that were shown. */
export const ENTRIES_LOST: Failure = {
  code: 'server_error',
  message: 'The storage of the server has lost a part of this response.',
}

/** The client's failure for a response whose server stopped, and that no other one could continue. */
export const NOT_CONTINUED: Failure = {
  code: 'server_error',
  message: 'The server that produced this response stopped, and no other one could continue it.',
}
