import { isLargeJson, jsonPieces } from '../../shared/json-pieces.js'
import { nextTurn } from '../flow/next-turn.js'

/** Writes JSON, and lets other work run between two pieces of a large one. */
export async function encodeJson(body: unknown): Promise<string> {
  if (!isLargeJson(body)) return JSON.stringify(body)
  let text = ''
  for (const piece of jsonPieces(body)) {
    text += piece
    await nextTurn()
  }
  return text
}
