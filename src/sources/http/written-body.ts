import type { Constraint } from '../../engine/constraint.js'
import { EngineError } from '../../engine/engine-error.js'
import type { HarmonyToken, StreamEnd } from '../../tokens/token-source.js'
import { idOf } from './steps-to-tokens.js'

type Tokens = AsyncGenerator<readonly HarmonyToken[], StreamEnd>

/** The parts of a call that describe its body, and the ids that end it. */
interface BodyCall {
  readonly constraint: Constraint | undefined
  readonly stop: readonly number[]
}

/**
 * Passes on the tokens of a constrained call, and fails if it ends as complete but empty: no JSON text is empty, and a
 * stream without any token is no text. A server whose grammar backend could not compile the constraint answers this
 * way, with status 200, and the response would show an empty body as a complete one.
 *
 * @param engine - its name, for the message
 * @throws EngineError `server_error`
 */
export async function* writtenBody(tokens: Tokens, call: BodyCall, engine: string): Tokens {
  const { constraint, stop } = call
  if (constraint === undefined) return yield* tokens
  const isText = (chunk: readonly HarmonyToken[]): boolean =>
    chunk.length > 0 && (!('jsonSchema' in constraint) || chunk.some((token) => !stop.includes(idOf(token) ?? -1)))
  try {
    for (;;) {
      const { done, value } = await tokens.next()
      if (done === true) {
        if (value.reason !== 'stop') return value
        const why = 'its grammar backend cannot compile the constraint'
        throw new EngineError('server_error', `${engine} ended a constrained call without a text: ${why}`)
      }
      if (isText(value)) {
        yield value
        return yield* tokens
      }
      // A step without tokens shows that the engine is working. An end of sequence alone is not shown.
      if (value.length === 0) yield value
    }
  } finally {
    // The type asks for a return value that nothing reads.
    await tokens.return(undefined as never)
  }
}
