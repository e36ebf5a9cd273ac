import { EngineError } from '../../contract/engine-error.js'

/** The error of a server that sends more than is kept. */
export function tooMuch(most: number, what: string): EngineError {
  return new EngineError('server_error', `the chat server: expected at most ${most} ${what}, got more`)
}
