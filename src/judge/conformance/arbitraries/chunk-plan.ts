import type { Arbitrary } from 'fast-check'
import type { HarmonyToken, HostTokens, TokenChunk } from '../../../core/tokens/token-source.js'
import { check } from '../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aBoolean } from '../../../shared/options/checks.js'
import fc from './fast-check.js'
import type { TextChunk } from './stream-forms.js'

/**
 * How to split a stream: the sizes and forms of its chunks, repeated as needed. An empty plan gives the fewest possible
 * chunks. It does not depend on the stream, so that a property can draw and shrink both independently.
 */
export type ChunkPlan = readonly {
  readonly size: number
  readonly form: 'ids' | 'array' | 'uint32' | 'scored' | 'mixed'
}[]

/** Options for {@link chunkPlan}. */
export interface ChunkPlanOptions {
  /** Whether some ids have logprobs, which then occur in the output. Default false. */
  readonly scored?: boolean
}

const CHUNK_PLAN_OPTIONS: OptionTable<ChunkPlanOptions> = { scored: aBoolean }

const planSize = (): Arbitrary<number> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 1, arbitrary: fc.integer({ min: 7, max: 40 }) },
    { weight: 1, arbitrary: fc.constant(0) },
  )

/**
 * How an engine may yield its tokens: one by one, several at a time, or none, as numbers, arrays or typed arrays.
 * Shrinks to an empty plan.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function chunkPlan(options: ChunkPlanOptions = {}): Arbitrary<ChunkPlan> {
  checkOptions('chunkPlan', options, CHUNK_PLAN_OPTIONS)
  const forms: ChunkPlan[number]['form'][] = ['array', 'ids', 'uint32']
  if (options.scored === true) forms.push('scored', 'mixed')
  return fc.array(fc.record({ size: planSize(), form: fc.constantFrom(...forms) }), { maxLength: 12 })
}

/**
 * Splits the `chunks` of a transcript (or any ids) by a plan. The host's tokens are split, too, and stay marked as the
 * host's; no chunk has tokens of both.
 *
 * @throws HarmonyResponsesError `bad_option` if a chunk is text
 */
export function cutChunks(chunks: readonly TokenChunk[], plan: ChunkPlan): TokenChunk[] {
  check(Array.isArray(chunks), 'cutChunks: chunks', 'an array of chunks', chunks)
  check(Array.isArray(plan), 'cutChunks: plan', 'an array of cuts', plan)
  let at = 0
  const next = (): ChunkPlan[number] => plan[at++ % plan.length] ?? { size: Number.POSITIVE_INFINITY, form: 'array' }
  return runs(chunks).flatMap(({ origin, ids }): TokenChunk[] => {
    const out: TokenChunk[] = []
    let from = 0
    let empty = 0
    while (from < ids.length) {
      const { size, form } = next()
      // A plan of only empty chunks would never end.
      const count = size > 0 || ++empty > plan.length ? Math.max(size, 1) : 0
      const piece = ids.slice(from, from + count)
      from += count
      if (origin === 'host') out.push({ host: form === 'uint32' ? Uint32Array.from(piece) : piece })
      else if (form === 'ids') for (const id of piece) out.push(id)
      else if (form === 'uint32') out.push(Uint32Array.from(piece))
      else if (form === 'scored') for (const id of piece) out.push(scored(id))
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

/** The ids of a stream, in runs of one origin. Throws if a chunk is text. */
function runs(chunks: readonly TokenChunk[]): Run[] {
  const found: Run[] = []
  const add = (origin: Run['origin'], ids: Iterable<number>): void => {
    const last = found.at(-1)
    if (last?.origin === origin) for (const id of ids) last.ids.push(id)
    else found.push({ origin, ids: [...ids] })
  }
  for (const chunk of chunks) {
    check(typeof chunk !== 'string', 'cutChunks', 'ids (cutText splits text)', chunk)
    if (isHost(chunk)) {
      const { host } = chunk
      check(typeof host !== 'string' && !('author' in host), 'cutChunks', 'ids (cutText splits text)', host)
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

/** All ids of chunks in order, including the host's. */
export function flattenChunks(chunks: readonly TokenChunk[]): number[] {
  return runs(chunks).flatMap(({ ids }) => ids)
}

/** How to split text: lengths of pieces in UTF-16 code units, repeated as needed. Shrinks to an empty plan. */
export function textPlan(): Arbitrary<readonly number[]> {
  return fc.array(planSize(), { maxLength: 12 })
}

/**
 * Splits the `textChunks` of a transcript (or any text) by a plan, also within markers and surrogate pairs. The host's
 * text is split, too, and stays marked as the host's.
 *
 * @throws HarmonyResponsesError `bad_option` if a chunk is ids
 */
export function cutText(chunks: readonly TokenChunk[], plan: readonly number[]): TextChunk[] {
  check(Array.isArray(chunks), 'cutText: chunks', 'an array of chunks', chunks)
  check(Array.isArray(plan), 'cutText: plan', 'an array of lengths', plan)
  return textRuns(chunks).flatMap(({ origin, text }) =>
    cut(text, repeat(plan, text.length)).map((piece): TextChunk => (origin === 'host' ? { host: piece } : piece)),
  )
}

/** The text of a stream, in runs of one origin. Throws if a chunk is ids. */
function textRuns(chunks: readonly TokenChunk[]): { origin: 'model' | 'host'; text: string }[] {
  const found: { origin: 'model' | 'host'; text: string }[] = []
  for (const chunk of chunks) {
    const [origin, text] = isHost(chunk) ? (['host', chunk.host] as const) : (['model', chunk] as const)
    check(typeof text === 'string', 'cutText', 'text (cutChunks splits ids)', text)
    const last = found.at(-1)
    if (last?.origin === origin) last.text += text
    else found.push({ origin, text })
  }
  return found
}

/** Repeats the plan until its sizes add up to `length`. */
export function repeat(plan: readonly number[], length: number): number[] {
  const sizes: number[] = []
  const step = plan.reduce((sum, size) => sum + size, 0)
  if (step === 0) return sizes
  for (let reached = 0; reached < length; reached += step) for (const size of plan) sizes.push(size)
  return sizes
}

/**
 * Splits an array or a string into pieces of these lengths. The rest after the last length is one more piece, and
 * lengths beyond the end are ignored.
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
