import { SPECIAL } from '../../core/harmony/vocabulary.js'
import type { ResponseRequest } from '../../core/responses/request.js'
import type { TokenChunk } from '../../core/tokens/token-source.js'
import { check } from '../../shared/errors.js'

/** What a model writes: a transcript of `harmony-responses/conformance/arbitraries`, or the ids of its tokens. */
export type ModelScript =
  | readonly number[]
  /** A transcript: its chunks, and the request that it answers, which is not read. */
  | { readonly chunks: readonly TokenChunk[]; readonly request?: ResponseRequest }

const STOPS: readonly number[] = [SPECIAL.return, SPECIAL.call]
/** `<|start|>assistant`, with which every prompt ends. */
const START: readonly number[] = [SPECIAL.start, 173781]

/**
 * The turns of the model in a transcript, as an engine samples them: each begins behind the `<|start|>assistant` of the
 * prompt, and ends with the token that ends it. That is the first `<|call|>` or `<|return|>`; a turn that has neither gets a
 * `<|return|>`, for which a server would wait otherwise. What the host wrote is left out.
 *
 * @throws HarmonyResponsesError `bad_option` if the script is not of token ids
 *
 * @example
 * ```ts
 * import { modelTurns } from 'harmony-responses/testing'
 *
 * // <|channel|>final<|message|>Hi, without its end.
 * const [turn] = modelTurns([200005, 17196, 200008, 12194])
 * console.log(turn?.at(-1)) // 200002
 * ```
 */
export function modelTurns(script: ModelScript): number[][] {
  const isIds = Array.isArray(script)
  const chunks: readonly unknown[] | undefined = isIds ? [script] : Object(script).chunks
  check(Array.isArray(chunks), 'modelTurns', 'token ids, or a transcript with chunks', script)
  const turns: number[][] = []
  let turn: number[] | undefined
  const end = (): void => {
    if (turn !== undefined) turns.push(STOPS.includes(turn.at(-1) ?? -1) ? turn : [...turn, SPECIAL.return])
    turn = undefined
  }
  for (const chunk of chunks) {
    if (Object(chunk).host !== undefined) {
      end()
      continue
    }
    for (const token of ids(chunk)) {
      turn ??= []
      turn.push(token)
      if (turn.length === START.length && turns.length > 0 && START.every((id, at) => turn?.[at] === id))
        turn = undefined
      else if (STOPS.includes(token)) end()
    }
  }
  end()
  return turns.length > 0 ? turns : [[SPECIAL.return]]
}

function ids(chunk: unknown): readonly number[] {
  const given = Array.isArray(chunk) || chunk instanceof Uint32Array ? Array.from(chunk as number[]) : [chunk]
  for (const id of given) check(Number.isSafeInteger(id), 'modelTurns', 'ids of tokens', id)
  return given as number[]
}
