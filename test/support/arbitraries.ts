import type fc from 'fast-check'
import type { TokenChunk } from '../../src/core/tokens/token-source.js'
import { cut, repeat } from '../../src/judge/conformance/arbitraries/chunk-plan.js'
import type {
  ChunkPlanOptions,
  MalformedShape,
  MalformedTranscript,
  Transcript,
  TranscriptOptions,
} from '../../src/judge/conformance/arbitraries/index.js'
import * as library from '../../src/judge/conformance/arbitraries/index.js'
import { encodeText } from './tokens.js'

// The library's arbitraries, with the ids that the model's own tokenizer gives.

export { flattenChunks } from '../../src/judge/conformance/arbitraries/chunk-plan.js'
export {
  chunkPlan,
  cutChunks,
  cutText,
  harmonyText,
  harmonyTextSpellingMarkers,
  MALFORMED_SHAPES,
  type MalformedShape,
  type MalformedTranscript,
  textPlan,
  tokenSoup,
} from '../../src/judge/conformance/arbitraries/index.js'

const withIds = { encode: encodeText }

export const wellFormedTranscript = (options: TranscriptOptions = {}): fc.Arbitrary<Transcript> =>
  library.wellFormedTranscript({ ...options, ...withIds })

export const malformedTranscript = (...shapes: readonly MalformedShape[]): fc.Arbitrary<MalformedTranscript> =>
  library.malformedTranscript({ ...(shapes.length > 0 && { shapes }), ...withIds })

export const headerSoup = (): fc.Arbitrary<number[]> => library.headerSoup(withIds)

export const editedTranscript = (): fc.Arbitrary<number[]> => library.editedTranscript(withIds)

/** The same tokens in other chunks. */
export const chunking = (tokens: readonly TokenChunk[], options: ChunkPlanOptions = {}): fc.Arbitrary<TokenChunk[]> =>
  library.chunkPlan(options).map((plan) => library.cutChunks(tokens, plan))

/** The same text in other pieces. */
export const textChunking = (text: string): fc.Arbitrary<string[]> =>
  library.textPlan().map((plan) => cut(text, repeat(plan, text.length)))
