import { MESSAGE_ENDS, STOP_TOKENS } from '../core/harmony/stop-tokens.js'
import { FIRST_SPECIAL, SPECIAL } from '../core/harmony/vocabulary.js'
import { encoderOf } from '../core/tokens/encoder.js'
import type { TokenTable } from '../core/tokens/token-table.js'
import { EngineError } from '../engines/contract/engine-error.js'
import { createMatcher, type MatcherState } from '../engines/grammar/index.js'
import { withPreferredTexts } from './preferred-texts.js'
import { decodeUtf8 } from './spelling.js'

/** The result of a turn under a grammar. */
export interface SampledBody {
  readonly tokens: readonly number[]
  /** The continuation of the turn after the body. */
  readonly after: readonly number[]
  /** Whether the tokens end with an end of sequence. Otherwise, the model is cut off after them. */
  readonly isOver: boolean
  /** Whether the script ended the body itself. Otherwise what follows may be text that it wrote inside the body. */
  readonly isOwn: boolean
}

/** The constraint of a body. */
export interface BodyGrammar {
  readonly gbnf: string
  /** The schema from which the grammar was made, if any. */
  readonly jsonSchema?: unknown
}

/** The maximum number of tokens that are joined to whole characters: characters may overlap tokens. */
const MAX_TOKENS = 8

/**
 * Samples a body under a grammar: the script's own tokens as long as the grammar allows them, and where it does not, a
 * shortest completion, whose formatted texts are ones that validators take. Special tokens are banned, but for those that
 * end a sequence.
 *
 * @param script - the scripted rest of the turn
 */
export function sampleBody(
  script: readonly number[],
  { gbnf, jsonSchema }: BodyGrammar,
  tokenTable: TokenTable,
): SampledBody {
  const tokens: number[] = []
  let text = ''
  let state = createMatcher(gbnf)
  for (let at = 0; at < script.length; ) {
    if (STOP_TOKENS.includes(script[at] as number) && state.isComplete) {
      return { tokens: [...tokens, script[at] as number], after: script.slice(at + 1), isOver: true, isOwn: true }
    }
    const character = wholeCharacters(script, at, tokenTable)
    const next = character && state.accept(character.text)
    if (character === undefined || next === undefined) {
      const completion = completionOf(state)
      const written = jsonSchema === undefined ? completion : withPreferredTexts(text, completion, state, jsonSchema)
      const isOwn = state.isComplete && MESSAGE_ENDS.includes(script[at] as number)
      return { ...steer(tokens, script.slice(at), written, tokenTable), isOwn }
    }
    text += character.text
    for (const id of script.slice(at, at + character.count)) tokens.push(id)
    at += character.count
    state = next
  }
  return { tokens, after: [], isOver: false, isOwn: true }
}

/** Completes a body whose constraint the script would violate. */
function steer(
  tokens: readonly number[],
  script: readonly number[],
  completion: string,
  tokenTable: TokenTable,
): Omit<SampledBody, 'isOwn'> {
  const end = script.findIndex((id) => MESSAGE_ENDS.includes(id))
  const own = script[end]
  const terminator = own !== undefined && STOP_TOKENS.includes(own) ? own : SPECIAL.return
  const after = end === -1 ? [] : script.slice(end + 1)
  return { tokens: [...tokens, ...encoderOf(tokenTable)(completion), terminator], after, isOver: true }
}

function completionOf(state: MatcherState): string {
  const completion = state.completion()
  if (completion !== undefined) return completion
  throw new EngineError('server_error', 'The shortest completion of the body is too long.')
}

/** Returns the text of as many tokens as complete its characters. Undefined for a marker, and if they complete none. */
function wholeCharacters(
  script: readonly number[],
  from: number,
  tokenTable: TokenTable,
): { readonly text: string; readonly count: number } | undefined {
  const bytes: number[] = []
  for (let count = 1; count <= MAX_TOKENS; count++) {
    const id = script[from + count - 1]
    if (id === undefined || id >= FIRST_SPECIAL) return undefined
    for (const byte of tokenTable.bytes(id)) bytes.push(byte)
    const text = decodeUtf8(Uint8Array.from(bytes))
    if (text !== undefined) return { text, count }
  }
  return undefined
}
