import { expect } from 'vitest'
import { EngineError } from '../../src/engines/contract/engine-error.js'

/** The `EngineError` that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<EngineError> {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}
