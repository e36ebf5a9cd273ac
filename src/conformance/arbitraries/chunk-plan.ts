import fc from 'fast-check'
import { check } from '../../errors.js'
import type { HarmonyToken, HostTokens, TokenChunk } from '../../tokens/token-source.js'
import type { TextChunk } from './stream-forms.js'

/**
 * How to cut a stream: the sizes and forms of its chunks, over and over. No pieces leave it as few chunks as it can be.
 * It does not depend on the stream, so that a property can draw both beside each other and shrink each for itself.
 */
export type ChunkPlan = readonly {
  readonly size: number
  readonly form: 'ids' | 'array' | 'uint32' | 'scored' | 'mixed'
}[]

/** What chunks may be. */
export interface ChunkPlanOptions {
  /** Whether some ids carry probabilities, which then stand in the output. Default false. */
  readonly scored?: boolean
}

const planSize = (): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 1, arbitrary: fc.integer({ min: 7, max: 40 }) },
    { weight: 1, arbitrary: fc.constant(0) },
  )

/**
 * How an engine may hand over its tokens: one by one, several at a time, none at all, as numbers, arrays or typed arrays.
 * Shrinks to no cuts at all.
 */
export function chunkPlan(options: ChunkPlanOptions = {}): fc.Arbitrary<ChunkPlan> {
  const forms: ChunkPlan[number]['form'][] = ['array', 'ids', 'uint32']
  if (options.scored === true) forms.push('scored', 'mixed')
  return fc.array(fc.record({ size: planSize(), form: fc.constantFrom(...forms) }), { maxLength: 12 })
}

/**
 * Cuts the `chunks` of a transcript (or any ids) by a plan. What the host said stays the host's, and is cut as well; no
 * chunk has tokens of both.
 *
 * @throws HarmonyResponsesError `bad_option` where a chunk is text
 */
export function cutChunks(chunks: readonly TokenChunk[], plan: ChunkPlan): TokenChunk[] {
  let at = 0
  const next = (): ChunkPlan[number] => plan[at++ % plan.length] ?? { size: Number.POSITIVE_INFINITY, form: 'array' }
  return runs(chunks).flatMap(({ origin, ids }): TokenChunk[] => {
    const out: TokenChunk[] = []
    let from = 0
    let empty = 0
    while (from < ids.length) {
      const { size, form } = next()
      // A plan of nothing but empty chunks still has to end.
      const taken = size > 0 || ++empty > plan.length ? Math.max(size, 1) : 0
      const piece = ids.slice(from, from + taken)
      from += taken
      if (origin === 'host') out.push({ host: form === 'uint32' ? Uint32Array.from(piece) : piece })
      else if (form === 'ids') out.push(...piece)
      else if (form === 'uint32') out.push(Uint32Array.from(piece))
      else if (form === 'scored') out.push(...piece.map(scored))
      else
        out.push(form === 'mixed' ? piece.map((id, index): HarmonyToken => (index % 2 === 0 ? scored(id) : id)) : piece)
    }
    return out
  })
}

const scored = (id: number): HarmonyToken => ({
  id,
  logprob: -(id % 7) / 4,
  topLogprobs: [{ id, logprob: -(id % 7) / 4 }],
})

interface Run {
  readonly origin: 'model' | 'host'
  readonly ids: number[]
}

/** The ids of a stream, in runs of one origin. Text is no ids, and is refused. */
function runs(chunks: readonly TokenChunk[]): Run[] {
  const found: Run[] = []
  const add = (origin: Run['origin'], ids: Iterable<number>): void => {
    const last = found.at(-1)
    if (last?.origin === origin) last.ids.push(...ids)
    else found.push({ origin, ids: [...ids] })
  }
  for (const chunk of chunks) {
    check(typeof chunk !== 'string', 'cutChunks', 'ids, as cutText is for text', chunk)
    if (isHost(chunk)) {
      const { host } = chunk
      check(typeof host !== 'string' && !('author' in host), 'cutChunks', 'ids, as cutText is for text', host)
      add('host', host)
    } else if (typeof chunk === 'number') add('model', [chunk])
    else if (chunk instanceof Uint32Array) add('model', chunk)
    else add('model', 'id' in chunk ? [chunk.id] : chunk.map((token) => (typeof token === 'number' ? token : token.id)))
  }
  return found
}

function isHost(chunk: TokenChunk): chunk is HostTokens {
  return typeof chunk === 'object' && 'host' in chunk
}

/** The ids of chunks, the host's included, in order. */
export function flattenChunks(chunks: readonly TokenChunk[]): number[] {
  return runs(chunks).flatMap(({ ids }) => ids)
}

/** How to cut text: lengths of pieces in UTF-16 units, over and over. Shrinks to no cuts at all. */
export function textPlan(): fc.Arbitrary<readonly number[]> {
  return fc.array(planSize(), { maxLength: 12 })
}

/**
 * Cuts the `textChunks` of a transcript (or any text) by a plan, inside markers and surrogate pairs as well. What the
 * host said is cut, and stays the host's.
 *
 * @throws HarmonyResponsesError `bad_option` where a chunk is ids
 */
export function cutText(chunks: readonly TokenChunk[], plan: readonly number[]): TextChunk[] {
  return textRuns(chunks).flatMap(({ origin, text }) =>
    cut(text, repeat(plan, text.length)).map((piece): TextChunk => (origin === 'host' ? { host: piece } : piece)),
  )
}

/** The text of a stream, in runs of one origin. Ids are no text, and are refused. */
function textRuns(chunks: readonly TokenChunk[]): { origin: 'model' | 'host'; text: string }[] {
  const found: { origin: 'model' | 'host'; text: string }[] = []
  for (const chunk of chunks) {
    const [origin, text] = isHost(chunk) ? (['host', chunk.host] as const) : (['model', chunk] as const)
    check(typeof text === 'string', 'cutText', 'text, as cutChunks is for ids', text)
    const last = found.at(-1)
    if (last?.origin === origin) last.text += text
    else found.push({ origin, text })
  }
  return found
}

/** The plan again and again, until its sizes reach `length`. */
export function repeat(plan: readonly number[], length: number): number[] {
  const sizes: number[] = []
  const step = plan.reduce((sum, size) => sum + size, 0)
  if (step === 0) return sizes
  for (let reached = 0; reached < length; reached += step) sizes.push(...plan)
  return sizes
}

/**
 * Cuts an array or a string into pieces of these lengths, in order; what is left after the last length is one more
 * piece, and lengths that reach past the end are cut off there.
 */
export function cut<T extends { readonly length: number; slice(start: number, end?: number): T }>(
  whole: T,
  sizes: readonly number[],
): T[] {
  const pieces: T[] = []
  let from = 0
  for (const size of sizes) {
    if (from >= whole.length) break
    pieces.push(whole.slice(from, from + size))
    from += size
  }
  if (from < whole.length) pieces.push(whole.slice(from))
  return pieces
}
