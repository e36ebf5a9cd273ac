import { createMarkerLexer } from '../../../core/harmony/text-input.js'
import { encoderOf } from '../../../core/tokens/encoder.js'
import type { HarmonyToken, TokenChunk } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { EngineError } from '../../../engines/contract/engine-error.js'

/** Reads an engine's output in one call as tokens. */
export interface ChunkReader {
  /** @throws EngineError for text from an engine that does not spell markers, or an invalid chunk */
  read(chunk: TokenChunk): readonly HarmonyToken[]
  /** Returns the held end of a text, which might have become a marker. */
  end(): readonly HarmonyToken[]
}

/**
 * Encodes text, so that it can be put back into the engine's context. Its markers become special tokens, which is safe
 * only for engines that declare it: with any other, a model that quotes a tool's output could end its message and begin
 * another.
 *
 * @param spellsMarkers - from the engine's capabilities
 */
export function createChunkReader(tokenTable: TokenTable, spellsMarkers: boolean): ChunkReader {
  return spellsMarkers ? createTextReader(tokenTable) : ID_READER
}

/** For engines that return only ids. It has no state, so all streams share it. */
const ID_READER: ChunkReader = {
  read(chunk) {
    if (typeof chunk === 'string') throw new EngineError('server_error', `respond: ${EXPECTED}, got text: ${HINT}`)
    return idsOf(chunk)
  },
  end: () => [],
}

function createTextReader(tokenTable: TokenTable): ChunkReader {
  let tokens: HarmonyToken[] = []
  const encode = encoderOf(tokenTable)
  const lexer = createMarkerLexer({
    text(text) {
      for (const id of encode(text)) tokens.push(id)
    },
    marker: (id) => void tokens.push(id),
  })

  function taken(): readonly HarmonyToken[] {
    const all = tokens
    tokens = []
    return all
  }

  return {
    read(chunk) {
      if (typeof chunk === 'string') {
        lexer.push(chunk)
        return taken()
      }
      const given = idsOf(chunk)
      lexer.flush()
      return [...taken(), ...given]
    },
    end() {
      lexer.flush()
      return taken()
    },
  }
}

const EXPECTED = 'expected token ids from the engine'
const HINT = 'one that spells special tokens as <|markers|> says so by spellsMarkers in its capabilities()'

function idsOf(chunk: Exclude<TokenChunk, string>): readonly HarmonyToken[] {
  if (typeof chunk === 'number' || (typeof chunk === 'object' && 'id' in chunk)) return [chunk]
  if (Array.isArray(chunk) || chunk instanceof Uint32Array) return Array.from(chunk as readonly HarmonyToken[])
  throw new EngineError('server_error', `respond: ${EXPECTED}, got what the host wrote`)
}
