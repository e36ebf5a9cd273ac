import { EngineError } from '../../contract/engine-error.js'

/** An EngineError with llama.cpp's message. */
export function llamaError(error: unknown, what = 'llama.cpp failed'): EngineError {
  if (error instanceof EngineError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new EngineError('server_error', `${what}: ${message}`, { cause: error })
}
