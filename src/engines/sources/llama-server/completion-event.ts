import * as z from 'zod'
import { isFields } from '../../../shared/fields.js'
import {
  type Count,
  count,
  isAbsent,
  isCount,
  isTokenIds,
  listOf,
  logprob,
  parseEvent,
  tokenId,
} from '../http/parse-event.js'

/** An event of a stream of `/completion`. */
export type CompletionEvent = (Partly & { readonly stop: false }) | (Partly & Stop)

interface Stop {
  readonly stop: true
  readonly stop_type: 'eos' | 'word' | 'limit'
}

interface Partly {
  readonly tokens: number[]
  readonly content: string
  /** Counts of the call so far. */
  readonly tokens_predicted?: Count
  readonly tokens_evaluated?: Count
  readonly completion_probabilities?:
    | readonly (Scored & { readonly top_logprobs?: readonly Scored[] | null | undefined })[]
    | null
    | undefined
  readonly timings?: { readonly cache_n?: Count } | null | undefined
}

interface Scored {
  readonly id: number
  readonly logprob: number
}

const scored = z.object({ id: tokenId, logprob }, '{id, logprob}')

const partial = {
  tokens: listOf(tokenId, 'an array of token ids'),
  content: z.string('a string'),
  tokens_predicted: count,
  tokens_evaluated: count,
  completion_probabilities: listOf(
    scored.extend({ top_logprobs: listOf(scored, 'an array').nullish() }),
    'an array',
  ).nullish(),
  timings: z.object({ cache_n: count }).nullish(),
}

/** Sent while the prompt is read. Its token does not count. */
const progress = z.object({
  prompt_progress: z.object({ total: count, cache: count }, '{total, cache}'),
})

export const EVENT: z.ZodType<CompletionEvent> = z.discriminatedUnion(
  'stop',
  [
    z.object({ ...partial, stop: z.literal(false) }),
    z.object({
      ...partial,
      stop: z.literal(true),
      stop_type: z.enum(['eos', 'word', 'limit'], 'eos, word or limit'),
    }),
  ],
  'an event of /completion',
)

/** Whether an event is as nearly all are: tokens, their text and counts, and not the last. */
export function isUsual(event: unknown): boolean {
  if (!isFields(event)) return false
  const { stop, tokens, content, tokens_predicted, tokens_evaluated, completion_probabilities, timings } = event
  if (stop !== false || !isTokenIds(tokens) || typeof content !== 'string') return false
  return (
    isCount(tokens_predicted) && isCount(tokens_evaluated) && isAbsent(completion_probabilities) && isAbsent(timings)
  )
}

/** Reads an event of `/completion`. @throws EngineError `server_error` */
export function readEvent(event: unknown): CompletionEvent {
  return parseEvent(EVENT, event, 'llama-server', isUsual)
}

/** Reads how far the server has read the prompt. @throws EngineError `server_error` */
export function readProgress(event: unknown): { readonly total?: Count; readonly cache?: Count } {
  return parseEvent(progress, event, 'llama-server').prompt_progress
}
