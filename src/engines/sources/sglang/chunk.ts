import * as z from 'zod'
import { isFields } from '../../../shared/fields.js'
import { type Count, count, isAbsent, isCount, isTokenIds, listOf, parseEvent, tokenId } from '../http/parse-event.js'

/** An event of a stream of `/generate`. */
export interface Chunk {
  /** In a cumulative stream every event has all ids, so only the new ones are validated: {@link readIds}. */
  readonly output_ids: readonly unknown[]
  readonly meta_info: {
    readonly finish_reason?: Finish | null | undefined
    readonly prompt_tokens?: Count
    readonly cached_tokens?: Count
    /** The count of the call so far. */
    readonly completion_tokens?: Count
    readonly output_token_logprobs?: readonly unknown[] | null | undefined
    readonly output_top_logprobs?: readonly unknown[] | null | undefined
  }
}

export interface Finish {
  readonly type: string
  /** The id or text at which it stopped. */
  readonly matched?: unknown
  readonly message?: string | null | undefined
  /** Of an abort: why it was refused; null if it was requested. */
  readonly status_code?: number | null | undefined
}

const list = z.custom<readonly unknown[]>(Array.isArray, 'an array')

export const CHUNK: z.ZodType<Chunk> = z.object(
  {
    output_ids: list,
    meta_info: z.object(
      {
        finish_reason: z
          .object(
            {
              type: z.string('a string'),
              matched: z.unknown().optional(),
              message: z.string('a string').nullish(),
              status_code: z.number('a number').nullish(),
            },
            'an object',
          )
          .nullish(),
        prompt_tokens: count,
        cached_tokens: count,
        completion_tokens: count,
        output_token_logprobs: list.nullish(),
        output_top_logprobs: list.nullish(),
      },
      'an object',
    ),
  },
  'an event of /generate',
)

/** Whether an event is as nearly all are: tokens and counts, and not the last. */
export function isUsual(event: unknown): boolean {
  if (!isFields(event)) return false
  const { output_ids, meta_info } = event
  if (!Array.isArray(output_ids) || !isFields(meta_info) || !isAbsent(meta_info['finish_reason'])) return false
  const { prompt_tokens, cached_tokens, completion_tokens, output_token_logprobs, output_top_logprobs } = meta_info
  const areCounts = isCount(prompt_tokens) && isCount(cached_tokens) && isCount(completion_tokens)
  return areCounts && isAbsent(output_token_logprobs) && isAbsent(output_top_logprobs)
}

/** Reads an event of `/generate`. @throws EngineError `server_error` */
export function readChunk(event: unknown): Chunk {
  return parseEvent(CHUNK, event, 'SGLang', isUsual)
}

const ids = listOf(tokenId, 'an array')

/** Reads the ids that are new in an event. @throws EngineError `server_error` */
export function readIds(given: readonly unknown[]): readonly number[] {
  return parseEvent(ids, given, 'SGLang', isTokenIds)
}
