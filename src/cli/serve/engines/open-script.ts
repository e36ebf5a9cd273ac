import * as z from 'zod'
import { toDotPath } from 'zod/v4/core'
import { type EngineCapabilities, EngineError, type EngineErrorCode } from '../../../engines/contract/index.js'
import {
  answer,
  call,
  fail,
  firstTokens,
  hang,
  preamble,
  type ScriptedPiece,
  type ScriptedTurn,
  scriptedEngine,
  think,
} from '../../../testing/index.js'
import { type Io, messageOf, nameOf, readFileOrStdin, UsageError } from '../../io.js'
import type { EngineNeeds, EngineSettings, OpenedEngine } from './engine.js'
import { paced } from './paced.js'

const CODES = [
  'server_error',
  'rate_limit_exceeded',
  'context_length_exceeded',
  'invalid_prompt',
] as const satisfies readonly EngineErrorCode[]

const text = z.string()

/**
 * The pieces of `harmony-responses/testing`, as JSON: an object with one of these keys, or Harmony with literal
 * markers.
 */
const piece = z.union([
  text,
  z.strictObject({ think: text }),
  z.strictObject({ preamble: text }),
  z.strictObject({ answer: text }),
  z.strictObject({ call: text.min(1), arguments: z.json().optional() }),
  z.strictObject({ fail: z.enum(CODES), message: text.optional() }),
  z.strictObject({ hang: z.literal(true) }),
])
const pieces = z.union([piece, z.array(piece).min(1)])
const turn = z.union([pieces, z.strictObject({ first: z.int().min(0), of: pieces, rest: pieces.optional() })])
const script = z.array(turn).min(1)

type Piece = z.infer<typeof piece>
type Turn = z.infer<typeof turn>

/**
 * Opens an engine that plays a file, one turn for each call of the model, and restarts after the last: failures, hangs
 * and odd tokens on demand.
 *
 * @throws UsageError
 */
export async function openScript(
  { target: file = '', delay }: EngineSettings,
  { tokenTable }: EngineNeeds,
  io: Io,
): Promise<OpenedEngine> {
  const turns = readScript(await readFileOrStdin(file, io), `--script ${nameOf(file)}`).map(turnOf)
  let next = 0
  const nextTurn = (): ScriptedTurn => turns[next++ % turns.length] as ScriptedTurn
  const engine = scriptedEngine(nextTurn, { tokenTable, remembered: REMEMBERED })
  // The next turn is another one of the file: a failure in the middle of one is shown.
  const capabilities = async (): Promise<EngineCapabilities> => ({
    ...(await engine.capabilities?.()),
    continues: 'turn',
  })
  return { engine: paced({ ...engine, capabilities }, delay), about: `plays ${nameOf(file)}; no model` }
}

/**
 * The maximum number of interrupted turns that are remembered: a long-running server would otherwise keep all of them.
 */
const REMEMBERED = 1_000

function readScript(given: string, where: string): readonly Turn[] {
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch (error) {
    throw new UsageError(`${where}: expected JSON: ${messageOf(error)}`, { cause: error })
  }
  const { data, error } = script.safeParse(value)
  if (data !== undefined) return data
  const path = toDotPath(error.issues[0]?.path ?? [])
  const expected =
    'a list of turns: texts, {"think"}, {"preamble"}, {"answer"}, {"call"}, {"fail"}, {"hang"} or lists of them'
  throw new UsageError(`${where}: ${path === '' ? '' : `${path}: `}expected ${expected}`)
}

function turnOf(given: Turn): ScriptedTurn {
  if (typeof given !== 'object' || !('first' in given)) return piecesOf(given)
  return [firstTokens(given.first, piecesOf(given.of)), ...(given.rest === undefined ? [] : piecesOf(given.rest))]
}

function piecesOf(given: Piece | readonly Piece[]): readonly ScriptedPiece[] {
  return (Array.isArray(given) ? (given as readonly Piece[]) : [given as Piece]).map(pieceOf)
}

function pieceOf(given: Piece): ScriptedPiece {
  if (typeof given === 'string') return given
  if ('think' in given) return think(given.think)
  if ('preamble' in given) return preamble(given.preamble)
  if ('answer' in given) return answer(given.answer)
  if ('call' in given) return call(given.call, given.arguments ?? {})
  if ('fail' in given) return fail(new EngineError(given.fail, given.message ?? 'The script fails here.'))
  return hang()
}
